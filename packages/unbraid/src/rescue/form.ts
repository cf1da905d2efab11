// What a form of markup is, and what a reader of one may say. Owns the types that the table of forms and the readers
// share; no behaviour.

import type { Input } from "./input.ts";
import type { Notation } from "./literal.ts";
import type { Step } from "./pattern.ts";
import type { ToolSchema } from "./schema.ts";

interface FormBase {
  /** A short name, as it stands in notices. */
  readonly name: string;
  /** Who writes it. */
  readonly models: string;
  /** One call in its exact spelling. */
  readonly example: string;
  /** What may stand around calls and before the first one. */
  readonly lead?: readonly string[];
  /** How each call begins. */
  readonly open: readonly string[];
  /** A call must have its lead, or stand right behind another one. */
  readonly needsLead?: true;
  /** What may stand behind a call and belongs to the markup. */
  readonly closers: readonly string[];
  /** It may begin only where the message does; by default anywhere in plain text. */
  readonly where?: "start";
  /** What opens it is part of what is read. */
  readonly keepsOpen?: true;
  /** It is a call only where nothing follows it in the message. */
  readonly last?: true;
  /** Only in a model's raw output. */
  readonly rawOnly?: true;
}

/** JSON documents that name a tool and hold its arguments, one or a list of them. */
export interface DocumentForm extends FormBase {
  readonly kind: "documents";
  /** A name, an object of arguments, and no other key. */
  readonly strict?: true;
  /** What separates documents that are no list. */
  readonly separator?: string;
}

/** A name, then a JSON document that is the arguments. */
export interface NamedForm extends FormBase {
  readonly kind: "named";
  /** From behind `open` to the arguments. */
  readonly head: readonly Step[];
  /**
   * `counted`: a number may stand behind the name, and both are the call's id (Kimi wants it back); `addressed`: the name
   * is a recipient in a namespace.
   */
  readonly names?: "counted" | "addressed";
}

/** A name, then each argument between tags of its own. */
export interface TaggedForm extends FormBase {
  readonly kind: "tagged";
  readonly head: readonly Step[];
  /** How an argument begins. */
  readonly parameter: readonly Step[];
  /** What ends an argument's value; `{key}` stands for the parameter's name. */
  readonly valueEnd: readonly string[];
  /** What ends a call. */
  readonly callEnd: readonly string[];
  /** Which line ends around a value belong to the markup: one on each side, both only where both are there, or none. */
  readonly lineEnds: "each" | "both" | "none";
  /** The token before each tag, where values may be nested tags. */
  readonly nested?: string;
  /** A JSON document in place of the arguments is taken too. */
  readonly mayBeJson?: true;
}

/** A name, then arguments as literals of a language. */
export interface LiteralForm extends FormBase {
  readonly kind: "literal";
  readonly notation: Notation;
  /** From behind `open` to the arguments. */
  readonly head: readonly Step[];
  /** Several calls, as Python writes a list. */
  readonly list?: true;
}

/** One way of writing calls into text. */
export type Form = DocumentForm | NamedForm | TaggedForm | LiteralForm;

/** Markup around text that is no call: thinking, channels. */
export interface Span {
  readonly name: string;
  readonly open: readonly string[];
  readonly head?: readonly Step[];
  readonly close: readonly string[];
  /** What the text in it is; `nothing`: it is somebody else's. */
  readonly holds: "reasoning" | "text" | "nothing";
  readonly rawOnly?: true;
}

/** What a reader came to. */
export type Verdict =
  /** It is not this form: the text is to be read again. */
  | "no"
  /** It looked like the form and is none, up to the position: that much is text. */
  | "text"
  /** Everything up to the position belongs to the markup. */
  | "done"
  /** The text ended inside the form. */
  | "cut";

/** A tool that a reader may open. */
export interface KnownTool {
  readonly name: string;
  readonly schema: ToolSchema;
  /** The client's vendor-defined tool, known only by its name. */
  readonly builtin?: true;
}

/** What a reader says of the calls that it reads. */
export interface CallOut {
  /** The tool that a name stands for; undefined where it was not declared. */
  tool(name: string): KnownTool | undefined;
  /** Whether a name that was cut may have become a declared one. */
  mayBecomeTool(start: string): boolean;
  /** A call begins: from now on it is certain that this is one. Without a tool it is read on and stays text. */
  open(tool: KnownTool | undefined, id?: string): void;
  /** Argument text. */
  append(json: string): void;
  /** The call is whole. */
  close(id?: string): void;
  /** The call is over and not whole. */
  cut(): void;
  /** Whether what is read stays text: its tool was not declared. */
  readonly mute: boolean;
}

/** What a reader works with. */
export interface ReadingContext {
  readonly input: Input;
  readonly calls: CallOut;
}
