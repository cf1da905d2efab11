// `unbraid completion`: a script that lets a shell complete commands, options and their choices. Owns the three scripts; what
// is in them is read from the commands themselves, so that nothing is listed twice.

import { Argument, type Command, Option } from "commander";
import { EXIT } from "../failure.ts";
import type { Io } from "../io.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

/** Declares the command. */
export function declareCompletion(
  program: Command,
  io: Io,
  run: (action: () => Promise<number>) => Promise<void>,
): void {
  program
    .command("completion")
    .helpOption("-h, --help", "this page")
    .summary("a script that completes commands in your shell")
    .description("Print a script that lets your shell complete unbraid's commands, options and choices.")
    .addArgument(new Argument("<shell>", SHELLS.join(", ")).choices(SHELLS))
    .addHelpText("after", EXAMPLES)
    .action((shell: Shell) =>
      run(async () => {
        await io.stdout.write(`${SCRIPTS[shell](wordsOf(program))}\n`);
        return EXIT.ok;
      }),
    );
}

const EXAMPLES = `
Examples:
  unbraid completion bash > ~/.local/share/bash-completion/completions/unbraid
  unbraid completion zsh > "\${fpath[1]}/_unbraid"
  unbraid completion fish > ~/.config/fish/completions/unbraid.fish`;

/** What can be typed behind a command. */
interface Words {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly { readonly long: string; readonly about: string; readonly choices: readonly string[] }[];
  /** Choices of its first argument; empty where that is a file. */
  readonly choices: readonly string[];
}

function wordsOf(program: Command): readonly Words[] {
  return program.commands.map((command) => ({
    name: command.name(),
    summary: command.summary(),
    options: [...command.options, new Option("-h, --help", "help")]
      .filter(({ hidden }) => !hidden)
      .map(({ long, description, argChoices }) => ({
        long: long ?? "",
        about: description,
        choices: argChoices ?? [],
      })),
    choices: command.registeredArguments[0]?.argChoices ?? [],
  }));
}

const SCRIPTS: Readonly<Record<Shell, (commands: readonly Words[]) => string>> = { bash, zsh, fish };

function bash(commands: readonly Words[]): string {
  const cases = commands.map(({ name, options, choices }) =>
    [
      `    ${name})`,
      ...options
        .filter((option) => option.choices.length > 0)
        .map(
          (option) =>
            `      [[ $prev == ${option.long} ]] && { mapfile -t COMPREPLY < <(compgen -W "${option.choices.join(" ")}" -- "$cur"); return; }`,
        ),
      `      [[ $cur == -* ]] && { mapfile -t COMPREPLY < <(compgen -W "${options.map(({ long }) => long).join(" ")}" -- "$cur"); return; }`,
      choices.length > 0
        ? `      mapfile -t COMPREPLY < <(compgen -W "${choices.join(" ")}" -- "$cur") ;;`
        : `      mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;`,
    ].join("\n"),
  );
  return `# bash completion of unbraid
_unbraid() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]}
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "${commands.map(({ name }) => name).join(" ")} --help --version" -- "$cur")
    return
  fi
  case \${COMP_WORDS[1]} in
${cases.join("\n")}
  esac
}
complete -o filenames -F _unbraid unbraid`;
}

function zsh(commands: readonly Words[]): string {
  const cases = commands.map(({ name, options, choices }) => {
    const specs = options.map((option) => {
      const value = option.choices.length > 0 ? `:value:(${option.choices.join(" ")})` : "";
      return `'${option.long}[${quotedZsh(option.about)}]${value}'`;
    });
    const files = choices.length > 0 ? `'*:choice:(${choices.join(" ")})'` : "'*:file:_files'";
    return `    ${name}) _arguments ${[...specs, files].join(" ")} ;;`;
  });
  return `#compdef unbraid
_unbraid() {
  local -a commands
  commands=(${commands.map(({ name, summary }) => `'${name}:${quotedZsh(summary)}'`).join(" ")})
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  ((CURRENT--))
  case $command in
${cases.join("\n")}
  esac
}
compdef _unbraid unbraid`;
}

function quotedZsh(text: string): string {
  return text.replaceAll("'", "'\\''").replace(/[[\]:]/g, "\\$&");
}

function fish(commands: readonly Words[]): string {
  const first = "__fish_use_subcommand";
  return [
    "# fish completion of unbraid",
    ...commands.map(({ name, summary }) => `complete -c unbraid -n ${first} -f -a ${name} -d ${quotedFish(summary)}`),
    ...commands.flatMap(({ name, options, choices }) => {
      const here = `-n '__fish_seen_subcommand_from ${name}'`;
      return [
        ...options.map((option) => {
          const value = option.choices.length > 0 ? ` -x -a ${quotedFish(option.choices.join(" "))}` : "";
          return `complete -c unbraid ${here} -l ${option.long.slice(2)}${value} -d ${quotedFish(option.about)}`;
        }),
        ...(choices.length > 0 ? [`complete -c unbraid ${here} -f -a ${quotedFish(choices.join(" "))}`] : []),
      ];
    }),
  ].join("\n");
}

function quotedFish(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
