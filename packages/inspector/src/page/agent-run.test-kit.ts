// A response as an agent gets it: reasoning in bursts, some text, four calls at once, a pause in the middle, a call that
// comes once more. Made the same every time.

const REASONING =
  "The user wants to know where the inspector is created . I should look at the entry point first , then at the server , " +
  "and search for every place that calls it . These do not depend on each other , so I can ask for all of them at once . ";
const TEXT = "I will read both files , search for the callers , and write down what I find . ";

const CALLS = [
  ["read_file", '{"path":"src/index.ts","from":1,"to":200}'],
  ["read_file", '{"path":"src/server/inspector.ts","from":40,"to":90}'],
  ["search_code", '{"query":"createInspector","glob":["src/**/*.ts","docs/**/*.md"],"limit":20,"case":true}'],
  [
    "write_file",
    '{"path":"notes/today.md","content":"# Today\\n\\n- read the two files\\n- look who calls createInspector\\n- it is called from the command and from the proxy, each time with its own bounds\\n","append":false,"mode":420}',
  ],
] as const;

/** Chunks with their times, in milliseconds. */
export function* agentRun(): Generator<readonly [time: number, text: string], void, undefined> {
  const random = randomNumbers(7);
  let time = 0;
  for (const word of words(REASONING + REASONING)) {
    time += random() < 0.06 ? 280 : 4 + 18 * random();
    yield [time, chunk({ reasoning_content: word })];
  }
  for (const word of words(TEXT + TEXT)) {
    time += 6 + 20 * random();
    yield [time, chunk({ content: word })];
  }
  for (const [index, [name]] of CALLS.entries()) yield [(time += 55), call(index, "", name)];
  yield* fragments(
    () => (time += random() < 0.3 ? 0 : 3 + 14 * random()),
    random,
    (pause) => (time += pause),
  );
  yield [(time += 80), call(1, CALLS[1][1], CALLS[1][0])];
  yield [(time += 120), chunk({}, "tool_calls")];
  yield [(time += 5), "data: [DONE]\n\n"];
}

/** The arguments of all calls in turns, with a pause when some have come. */
function* fragments(
  tick: () => number,
  random: () => number,
  pause: (time: number) => void,
): Generator<readonly [number, string], void, undefined> {
  const at = CALLS.map(() => 0);
  for (let turn = 0; CALLS.some(([, text], index) => (at[index] ?? 0) < text.length); turn++) {
    const index = turn % CALLS.length;
    const [, text = ""] = CALLS[index] ?? [];
    const from = at[index] ?? 0;
    if (turn === 60) pause(1400);
    if (from >= text.length) continue;
    at[index] = from + 2 + Math.floor(random() * 6);
    yield [tick(), call(index, text.slice(from, at[index]))];
  }
}

function words(text: string): readonly string[] {
  return text.split(/(?<= )/);
}

function chunk(delta: object, finish: string | null = null): string {
  return `data: ${JSON.stringify({ id: "chatcmpl-17", model: "local-model-32b", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
}

function call(index: number, text: string, name?: string): string {
  const head = name === undefined ? {} : { id: `call_${"abcd"[index] ?? ""}7Qd`, type: "function" };
  const called = { ...(name === undefined ? {} : { name }), arguments: text };
  return chunk({ tool_calls: [{ index, ...head, function: called }] });
}

/** Numbers from 0 up to 1, the same for the same seed (Park and Miller). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}
