// Colour. Owns the escape sequences that the command writes, and when it may write them.

/** Puts a text into a colour or a weight; gives it back unchanged where there is no colour. */
export type Paint = (text: string) => string;

/** The looks that the reports use. */
export interface Style {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  /** For marks that stand for characters nobody would see. */
  readonly odd: Paint;
  /** The colour of one call: a few colours in turn, by the number of the call. */
  readonly call: (number: number) => Paint;
}

/** Colours of calls: none of them says good or bad. */
const CALL_COLOURS = [36, 35, 94, 33, 96, 95];

function sgr(open: number, close: number): Paint {
  return (text) => (text === "" ? "" : `\u001b[${open}m${text}\u001b[${close}m`);
}

const same: Paint = (text) => text;

const PLAIN: Style = {
  bold: same,
  dim: same,
  red: same,
  green: same,
  yellow: same,
  odd: same,
  call: () => same,
};

const callPaints = CALL_COLOURS.map((colour) => sgr(colour, 39));

const COLOURED: Style = {
  bold: sgr(1, 22),
  dim: sgr(2, 22),
  red: sgr(31, 39),
  green: sgr(32, 39),
  yellow: sgr(33, 39),
  odd: sgr(7, 27),
  call: (number) => callPaints[number % callPaints.length] as Paint,
};

/**
 * The style to write in.
 *
 * @param colour Whether colours may be written.
 */
export function styleOf(colour: boolean): Style {
  return colour ? COLOURED : PLAIN;
}

/** What decides whether colours may be written. */
export interface ColourChoice {
  /** `--color` or `--no-color`, where one was given. */
  readonly flag: boolean | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether the output is a terminal. */
  readonly terminal: boolean;
}

/**
 * Whether colours may be written. The flag counts most, then FORCE_COLOR as Node reads it, then NO_COLOR
 * (https://no-color.org), then whether the output is a terminal that has colours.
 */
export function wantsColour({ flag, env, terminal }: ColourChoice): boolean {
  if (flag !== undefined) return flag;
  const force = env["FORCE_COLOR"];
  if (force !== undefined) return force !== "0" && force.toLowerCase() !== "false";
  if ((env["NO_COLOR"] ?? "") !== "") return false;
  return terminal && env["TERM"] !== "dumb";
}
