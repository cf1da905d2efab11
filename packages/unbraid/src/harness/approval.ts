// Whether a person lets a call run. Owns the question and what an answer may look like; where nobody can say yes, the
// answer is no.

import type { ToolCall } from "../events.ts";
import type { RunDecision } from "./policy.ts";
import { messageOfThrown } from "./tool-error.ts";
import { unlessAborted } from "./waiting.ts";

/** What a person is asked. */
export interface ApprovalRequest {
  /** The call. */
  readonly call: ToolCall;
  /** The arguments, as the tool will get them. Show these, not the call's text. */
  readonly args: unknown;
  /** Aborted when the answer is no longer wanted. */
  readonly signal: AbortSignal;
}

/** What a person says: yes, no, or no and why; the reason goes to the model. */
export type Approval = boolean | { readonly approved: boolean; readonly reason?: string };

/** Asks a person. May wait for as long as it takes; what it throws counts as no. */
export type Approve = (request: ApprovalRequest) => Approval | Promise<Approval>;

/** An answer in one form. */
export interface Verdict {
  readonly approved: boolean;
  readonly reason?: string;
}

/**
 * Whether a call must be approved. A rule that throws counts as yes.
 *
 * @throws The signal's reason (by rejecting) where it is aborted before the rule has answered.
 */
export async function needsApproval({ tool, args, call }: RunDecision, signal: AbortSignal): Promise<boolean> {
  if (tool?.needsApproval === undefined) return false;
  try {
    const answer: unknown = await unlessAborted(tool.needsApproval(args, call), signal);
    // Anything but a plain no: a rule that answers nothing is not trusted.
    return answer !== false;
  } catch {
    signal.throwIfAborted();
    return true;
  }
}

/**
 * Asks for approval.
 *
 * @throws The signal's reason (by rejecting) where it is aborted before the answer.
 */
export async function askFor(
  { call, args }: RunDecision,
  approve: Approve | undefined,
  signal: AbortSignal,
): Promise<Verdict> {
  if (approve === undefined) return { approved: false, reason: "There is nobody here who could approve it" };
  try {
    return verdictOf(await unlessAborted(answerOf(approve, { call, args, signal }), signal));
  } catch (thrown) {
    signal.throwIfAborted();
    return { approved: false, reason: `It could not be approved: ${messageOfThrown(thrown)}` };
  }
}

/** Async, so that what is thrown before there is a promise rejects too. */
async function answerOf(approve: Approve, request: ApprovalRequest): Promise<Approval> {
  return approve(request);
}

function verdictOf(answer: Approval): Verdict {
  if (answer === true) return { approved: true };
  if (typeof answer !== "object" || answer === null) return { approved: false };
  const { approved, reason } = answer;
  return { approved: (approved as unknown) === true, ...(typeof reason === "string" ? { reason } : {}) };
}
