// Calls of wires whose keys can be trusted: headers, fragments, last words and closes under a key, whole calls, final lists.
// Owns what each of these words of a protocol does to the calls; untrusted mentions go to call-table.ts directly.

import type { CallTable } from "./call-table.ts";
import type { CallRecord, ChoiceCalls } from "./call-record.ts";
import { compareFinal, reconcile } from "./final-list.ts";
import type { CallDelta, CallKey } from "./sink.ts";
import type { Mention } from "./identity.ts";
import { droppedFrom, type Speech } from "./speech.ts";
import { present, wholeIndex } from "../wire-values.ts";

/** See the file's head. */
export class KeyedCalls {
  readonly #calls: CallTable;
  readonly #speech: Speech;

  constructor(calls: CallTable, speech: Speech) {
    this.#calls = calls;
    this.#speech = speech;
  }

  /** A header frame. */
  open(delta: CallDelta): void {
    const calls = this.#calls;
    const choice = calls.choice(delta.choice);
    const mention = read(delta, calls.asText(delta.args));
    const byId = mention.id === undefined ? undefined : choice.byId.get(mention.id);
    const keyed = mention.index !== undefined || present(delta.item) !== undefined;
    const held = keyed ? calls.find(choice, { index: delta.index, item: delta.item }) : byId;
    if (held !== undefined && !held.over && isSameHeader(held, mention)) {
      if (held.rawName === "" && mention.name !== undefined)
        this.#speech.notice("late-header", "The call's fragments came before its header.", held);
      calls.learn(choice, held, mention, delta, false);
      if (mention.name !== undefined) calls.name(held, mention.name);
      if (held.args.blank) calls.text(choice, held, mention.text);
      held.keyed = true;
      calls.starts.start(choice, held);
    } else {
      if (held?.unfinished === true) {
        choice.indexReused = true;
        this.#speech.notice("index-reused", "The key of an open call was given to another call.", held);
      }
      const original = originalOf(byId, mention);
      const call = calls.create(choice, mention, delta, original);
      if (call !== undefined) {
        call.keyed = true;
        if (delta.initial !== undefined) call.initial = calls.asText(delta.initial);
        calls.starts.start(choice, call);
      }
    }
  }

  /** A fragment. */
  append(key: CallKey, text: unknown, headerMayFollow = false): void {
    const calls = this.#calls;
    const fragment = calls.asText(text);
    if (fragment === "") return;
    const choice = calls.choice(key.choice);
    const known = calls.find(choice, key);
    const call = known ?? (headerMayFollow ? undefined : calls.onlyOpen(choice, key, fragment));
    if (call === undefined) {
      calls.create(choice, read(key, fragment), key);
    } else if (call.over) {
      this.#speech.notice(
        "late-fragment",
        "A fragment came for a call that was over; it was dropped.",
        call,
        droppedFrom(call, "late-fragment", fragment),
      );
    } else {
      calls.direct = known;
      calls.text(choice, call, fragment);
    }
  }

  /** The vendor's final text. */
  final(delta: CallDelta, unsure = false): void {
    const calls = this.#calls;
    const choice = calls.choice(delta.choice);
    const call = calls.find(choice, delta) ?? calls.create(choice, read(delta, ""), { ...delta, args: undefined });
    if (call === undefined) return;
    if (call.over) return compareFinal(this.#speech, call, calls.asText(delta.args));
    this.#lastWord(choice, call, delta, !unsure);
  }

  /** The vendor's close signal. */
  close(delta: CallDelta, cut = false): void {
    const choice = this.#calls.choice(delta.choice);
    const call = this.#calls.find(choice, delta);
    if (call === undefined) return;
    if (call.over) return compareFinal(this.#speech, call, this.#calls.asText(delta.args));
    call.cut ||= cut;
    this.#lastWord(choice, call, delta);
    this.#closeIfDecided(choice, call);
  }

  /** The vendor's own signal for the call, with what it says of the call for the last time. */
  #lastWord(choice: ChoiceCalls, call: CallRecord, delta: CallDelta, signal = true): void {
    const calls = this.#calls;
    calls.learn(choice, call, read(delta, ""), delta, true);
    const name = present(delta.name);
    if (name !== undefined && call.rawName === "") {
      calls.name(call, name);
      this.#speech.notice("late-header", "The call's name came only with its last frame.", call);
    }
    if (delta.args !== undefined && delta.args !== null) calls.finalText(choice, call, delta.args);
    if (signal) calls.useInitial(choice, call);
    call.signalled ||= signal;
  }

  /** A frame that carries a whole call. */
  whole(delta: CallDelta): void {
    const calls = this.#calls;
    const choice = calls.choice(delta.choice);
    const mention = read(delta, calls.asText(delta.args));
    const byId = mention.id === undefined ? undefined : choice.byId.get(mention.id);
    const original = originalOf(byId, mention);
    if (original !== undefined && !original.over && original.args.isPlaceholder) return this.close(delta);
    const call = calls.create(choice, mention, { ...delta, format: delta.format ?? "json" }, original);
    if (call !== undefined) {
      calls.starts.start(choice, call);
      call.signalled = true;
      call.cut ||= delta.cut === true;
      // An empty object may be a placeholder (Gemini proxies: https://github.com/smallmain/vscode-unify-chat-provider/issues/48).
      if (!call.args.isPlaceholder) this.#closeIfDecided(choice, call);
    }
  }

  /** Closes a signalled call; one without arguments waits for the end, for only that says what no text means. */
  #closeIfDecided(choice: ChoiceCalls, call: CallRecord): void {
    const undecided =
      !call.args.plain && call.original === undefined && call.rawName !== "" && (call.args.blank || call.args.isNull);
    if (!undecided) this.#calls.close(choice, call, { ended: false, well: false });
  }

  /** The response's own final list. */
  list(items: readonly CallDelta[]): void {
    if (items.length === 0 && this.#calls.hasClientCalls())
      this.#speech.notice("snapshot-empty", "The response's final list is empty though calls had come; they stay.");
    reconcile(this.#calls, this.#speech, items, {
      confirm: (choice, call, item) => {
        call.cut ||= item.cut === true;
        this.#lastWord(choice, call, { ...item, id: call.wireId ?? item.id });
        this.#closeIfDecided(choice, call);
      },
      add: (item) => this.whole(item),
    });
  }
}

/** Whether a header frame under a known key is that call's own: said again, or after its fragments. */
function isSameHeader(
  held: CallRecord,
  { id, name }: { readonly id: string | undefined; readonly name: string | undefined },
): boolean {
  if (held.rawName !== "" && name !== undefined && held.rawName !== name) return false;
  return id === undefined ? held.rawName === "" : held.wireId === undefined || held.wireId === id;
}

function read(delta: CallDelta, text: string): Mention {
  return { index: wholeIndex(delta.index), id: present(delta.id), name: present(delta.name), text };
}

/** The call that a header with a known id and the same name repeats, until its text proves otherwise. */
function originalOf(known: CallRecord | undefined, { name }: Mention): CallRecord | undefined {
  return known !== undefined && known.rawName === name ? (known.original ?? known) : undefined;
}
