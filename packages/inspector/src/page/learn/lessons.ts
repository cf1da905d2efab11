// A few streams of our own, each with a few sentences on what to watch. Owns the lessons; the page shows them as it shows
// any response.

import type { DeclaredTool } from "unbraid";
import type { Piece } from "../../model/recording.ts";
import { anthropicBody, chatBody, geminiBody, type Paced } from "./bodies.ts";

/** One lesson. */
export interface Lesson {
  /** In the address. */
  readonly id: string;
  /** What it is about. */
  readonly title: string;
  /** What happens, in a sentence or two. */
  readonly story: string;
  /** What to look at, one thing each. */
  readonly watch: readonly string[];
  /** The tools that the request declared. */
  readonly tools?: readonly DeclaredTool[];
  /** The body as it came. */
  readonly pieces: readonly Piece[];
}

/** A chat fragment of a call. */
function part(index: number, text: string, id?: string, name?: string): object {
  const called = { ...(name === undefined ? {} : { name }), arguments: text };
  return { tool_calls: [{ index, ...(id === undefined ? {} : { id, type: "function" }), function: called }] };
}

/** Fragments of one call, evenly paced. */
function parts(pause: number, index: number, texts: readonly string[]): readonly Paced[] {
  return texts.map((text): Paced => [pause, part(index, text)]);
}

/** The lessons, in the order in which they are best read. */
export const lessons: readonly Lesson[] = [
  {
    id: "fragments",
    title: "Fragments are not JSON",
    story:
      "A call comes in pieces of text. No piece is JSON by itself, and all of them together are not either, until the very last one.",
    watch: [
      "Step with the arrow keys and watch the badge: it says “not JSON yet” until the last fragment.",
      "The value beside the text is what can be said for certain at that moment: a string as far as it has come, a number only when it is whole.",
      '{"path":"/" would be a whole path: what a client may do must wait for the close, not for text that happens to parse.',
    ],
    pieces: chatBody([
      [0, { role: "assistant", content: "" }],
      [180, { content: "I will write" }],
      [60, { content: " that down." }],
      [240, part(0, "", "call_7Qd", "write_file")],
      ...parts(70, 0, [
        '{"pa',
        'th":"/',
        "home/ann",
        'a/notes.md"',
        ',"con',
        'tent":"# Mon',
        "day\\n\\n- buy",
        ' tea"',
        ',"mo',
        'de":42',
        "0}",
      ]),
      [90, {}, "tool_calls"],
    ]),
  },
  {
    id: "parallel",
    title: "Two calls, interleaved",
    story:
      "The model asks for two things at once, and the server sends the fragments in turns. Each belongs to the call whose index it carries.",
    watch: [
      "Two lanes, marks in turns. “Other readers” shows what becomes of it when fragments are added to whichever call came last: neither call survives.",
      "In the middle nothing comes for a while: a gap in the model, not at the end of the response.",
    ],
    pieces: chatBody([
      [0, { role: "assistant", content: null }],
      [200, part(0, "", "call_weather", "get_weather")],
      [30, part(1, "", "call_time", "get_time")],
      [60, part(0, '{"city')],
      [30, part(1, '{"zo')],
      [60, part(0, '":"Os')],
      [30, part(1, 'ne":"Europe')],
      [900, part(0, 'lo","days"')],
      [0, part(1, '/Oslo"')],
      [0, part(0, ":3")],
      [40, part(1, "}")],
      [30, part(0, "}")],
      [60, {}, "tool_calls"],
    ]),
  },
  {
    id: "one-index",
    title: "Two calls under one index",
    story: "This server numbers every call 0. Only the new id tells that a second call has begun.",
    watch: [
      "Two lanes, though every fragment says index 0: identity decides, not position.",
      "“Other readers”, by index: one call with both texts glued together, under the last id. It cannot be parsed.",
    ],
    pieces: chatBody([
      [0, { role: "assistant", content: null }],
      [150, part(0, "", "call_oslo", "get_weather")],
      ...parts(60, 0, ['{"city": ', '"Oslo"}']),
      [120, part(0, "", "call_lima", "get_weather")],
      ...parts(60, 0, ['{"city": ', '"Lima"}']),
      [80, {}, "tool_calls"],
    ]),
  },
  {
    id: "repeat",
    title: "The same call once more",
    story: "The call is whole, and then the server sends all of it again in one piece, under the same id.",
    watch: [
      "One lane, one call. The repeat is a notice pinned where it came, and it is not added to the text.",
      "Added up, the text would be two objects glued together: not JSON, and no call at all.",
    ],
    pieces: chatBody([
      [0, { role: "assistant", content: null }],
      [160, part(0, "", "call_mail", "send_mail")],
      ...parts(70, 0, ['{"to": "an', "na@example", '.org", "text', '": "On my way"}']),
      [140, part(0, '{"to": "anna@example.org", "text": "On my way"}', "call_mail", "send_mail")],
      [60, {}, "tool_calls"],
    ]),
  },
  {
    id: "placeholder",
    title: "An empty object first",
    story: "The server announces the call with {} as its arguments, and sends the real object afterwards.",
    watch: [
      "The first {} parses. A client that runs a call as soon as it parses would run this one with nothing in it.",
      "What follows replaces the placeholder: the notice says so, and the text begins with the real object.",
    ],
    pieces: chatBody([
      [0, { role: "assistant", content: null }],
      [150, part(0, "{}", "call_del", "delete_files")],
      ...parts(80, 0, ['{"path": "bu', 'ild/", "dry', '_run": true', "}"]),
      [90, {}, "tool_calls"],
    ]),
  },
  {
    id: "cut",
    title: "Cut short",
    story: "The server fails when the second call has begun and has no arguments yet.",
    watch: [
      "The first call is complete, the second truncated: it never closed, so it does not run.",
      "Most clients read “no arguments” as {}. Here that would delete everything: see “Other readers”.",
    ],
    pieces: anthropicBody([
      [
        0,
        {
          type: "message_start",
          message: {
            id: "msg_demo",
            type: "message",
            role: "assistant",
            model: "demo-messages",
            content: [],
            stop_reason: null,
            usage: { input_tokens: 210, output_tokens: 1 },
          },
        },
      ],
      [120, { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }],
      [50, { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "I will tidy up the" } }],
      [50, { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: " build folder." } }],
      [20, { type: "content_block_stop", index: 0 }],
      [
        140,
        {
          type: "content_block_start",
          index: 1,
          content_block: { type: "tool_use", id: "toolu_list", name: "list_files", input: {} },
        },
      ],
      [
        60,
        { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: '{"path": "bu' } },
      ],
      [60, { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: 'ild"}' } }],
      [20, { type: "content_block_stop", index: 1 }],
      [
        160,
        {
          type: "content_block_start",
          index: 2,
          content_block: { type: "tool_use", id: "toolu_delete", name: "delete_files", input: {} },
        },
      ],
      [700, { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }],
    ]),
  },
  {
    id: "object",
    title: "A wire that sends objects",
    story:
      "Gemini does not send pieces of text: each call comes as one JSON object in one frame, between pieces of text.",
    watch: [
      "Each lane has a single mark: start, text and close in one frame.",
      "Two calls of the same name are two calls. They must not be merged.",
      "The wire gives no ids here: they are made, and a notice says so.",
    ],
    pieces: geminiBody([
      [0, [{ text: "Looking" }]],
      [140, [{ text: " both up." }]],
      [
        420,
        [
          { functionCall: { name: "get_weather", args: { city: "Oslo", days: 3 } } },
          { functionCall: { name: "get_weather", args: { city: "Lima", days: 3 } } },
        ],
      ],
      [60, [{ text: "" }], "STOP"],
    ]),
  },
  {
    id: "rescue",
    title: "A call left in the text",
    story:
      "The server should have parsed the model's markup and did not: the call arrives as text for the user. Because the request declared the tool, it is recovered.",
    watch: [
      "The markup is not in the text lane: it became a call, and a notice says which form it had.",
      "“Other readers” find nothing at all here, and show the markup to the user.",
    ],
    tools: [{ name: "get_weather", parameters: { type: "object", properties: { city: { type: "string" } } } }],
    pieces: chatBody([
      [0, { role: "assistant", content: "" }],
      [140, { content: "Let me look" }],
      [60, { content: " that up.\n" }],
      [80, { content: "<tool_" }],
      [50, { content: 'call>\n{"name": "get_' }],
      [50, { content: 'weather", "argu' }],
      [50, { content: 'ments": {"city": "Os' }],
      [50, { content: 'lo"}}\n</tool' }],
      [50, { content: "_call>" }],
      [60, {}, "stop"],
    ]),
  },
  {
    id: "malformed",
    title: "Not JSON, with one reading",
    story:
      "The model writes Python: True instead of true, and a comma too many. As it stands this is not JSON and must not run.",
    watch: [
      "The badge turns from “not JSON yet” to “broken” at the very fragment that broke it: nothing that follows can mend it.",
      "There is exactly one reading of it, so it is offered beside the call. Whether to take it is up to you.",
    ],
    pieces: chatBody([
      [0, { role: "assistant", content: null }],
      [150, part(0, "", "call_notes", "write_file")],
      ...parts(70, 0, ['{"path": "notes.md", ', '"append": Tr', "ue, ", '"text": "First line"', ", }"]),
      [80, {}, "tool_calls"],
    ]),
  },
];
