// All readers that are compared. Owns the list.

import type { Peer } from "../peer.ts";
import { aiSdkPeers } from "./ai-sdk.ts";
import { anthropicPeers } from "./anthropic.ts";
import { googlePeers } from "./google.ts";
import { langchainPeers } from "./langchain.ts";
import { naivePeers } from "./naive.ts";
import { openaiPeers } from "./openai.ts";
import { piAiPeers } from "./pi-ai.ts";
import { unbraidPeers } from "./unbraid.ts";

export const peers: readonly Peer[] = [
  ...unbraidPeers,
  ...openaiPeers,
  ...anthropicPeers,
  ...googlePeers,
  ...aiSdkPeers,
  ...langchainPeers,
  ...piAiPeers,
  ...naivePeers,
];
