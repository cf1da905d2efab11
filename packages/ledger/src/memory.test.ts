// The ledger in memory keeps the contract of all ledgers. What is its own, its bound, is tested beside it.

import { memoryLedger } from "unbraid/ledger";
import { codeOf, ledgerSuite, SUITE_LIMITS } from "./ledger.test-suite.ts";

ledgerSuite(
  "memory",
  () => {
    let now = 1_000_000;
    const make = () => memoryLedger({ now: () => now, ...SUITE_LIMITS });
    // The store is the process: workers share the ledger itself, until a test has closed it.
    let store = make();
    const open = async () => {
      if ((await codeOf(store.turns("any"))) === "closed") store = make();
      return store;
    };
    return Promise.resolve({ open, pass: (ms: number) => void (now += ms), end: () => {} });
  },
  300,
);
