import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { run } from "../io.test-kit.ts";

/** What bash offers for a line whose cursor stands at its end. */
async function offered(line: string): Promise<string[]> {
  const { out } = await run(["completion", "bash"]);
  const words = line.split(" ");
  const script = `${out}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}
_unbraid; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync("bash", ["-c", script], { encoding: "utf8" });
  expect(stderr).toBe("");
  return stdout.split("\n").filter((word) => word !== "");
}

describe("unbraid completion", () => {
  it("completes commands, options and choices in bash", async () => {
    expect(await offered("unbraid tr")).toEqual(["trace"]);
    expect(await offered("unbraid ")).toEqual(expect.arrayContaining(["calls", "scan", "completion", "--help"]));
    expect(await offered("unbraid calls --pro")).toEqual(["--protocol"]);
    expect(await offered("unbraid calls --protocol anth")).toEqual(["anthropic"]);
    expect(await offered("unbraid completion f")).toEqual(["fish"]);
    expect(await offered("unbraid scan package.js")).toEqual(["package.json"]);
    expect(await offered("unbraid calls --colo")).toEqual([]);
  });

  it.each([
    ["zsh", "#compdef unbraid", "'--protocol["],
    ["fish", "complete -c unbraid", "-l protocol -x -a"],
  ])("writes a script for %s", async (shell, head, option) => {
    const { out, status } = await run(["completion", shell]);
    expect(status).toBe(0);
    expect(out).toContain(head);
    expect(out).toContain(option);
  });

  it("knows no other shell", async () => {
    expect((await run(["completion", "cmd"])).status).toBe(2);
  });
});
