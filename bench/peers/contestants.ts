// Who is measured against whom. Owns the list for one wire: floors and the push form from the project's own benchmark,
// and every peer, without and with the value so far.

import type { Body } from "../bodies.ts";
import { push, pushWithPartials, splitAndParse, type Subject } from "../subjects.ts";
import { readFed, type Reading } from "./feed.ts";
import type { Peer } from "./peer.ts";
import { peers } from "./readers/index.ts";
import { partialJsonPeers } from "./readers/partial-json.ts";

/** One way of reading, to be measured. */
export interface Contestant {
  readonly name: string;
  /** Whether the value so far is looked at, or made anyway, at every fragment. */
  readonly partials: boolean;
  run(body: Body, chunks: readonly Uint8Array[], limit: number): Promise<Reading>;
}

/** The contestants of a wire; the first one is the floor that all others are compared with. */
export function contestants(wire: Body["protocol"]): Contestant[] {
  return [
    ofSubject(splitAndParse.name, splitAndParse, false),
    ofSubject("unbraid", push, false),
    ofSubject("unbraid", pushWithPartials, true),
    ...[...peers, ...partialJsonPeers]
      .filter((peer) => peer.wire === wire && peer.name !== "a naive reader, to the last call")
      .flatMap((peer) => [
        ...(peer.partials === "always" ? [] : [ofPeer(peer, false)]),
        ...(peer.partials === undefined ? [] : [ofPeer(peer, true)]),
      ]),
  ];
}

function ofSubject(name: string, subject: Subject, partials: boolean): Contestant {
  return {
    name,
    partials,
    async run(body, chunks) {
      const start = performance.now();
      const characters = await subject.run(body, chunks);
      const milliseconds = performance.now() - start;
      return { milliseconds, characters };
    },
  };
}

function ofPeer(peer: Peer, partials: boolean): Contestant {
  return {
    name: peer.name,
    partials,
    run: (_, chunks, limit) => readFed(peer, chunks, partials, limit),
  };
}
