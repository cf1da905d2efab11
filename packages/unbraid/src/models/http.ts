// One request to a vendor over fetch, tried again while no byte of an answer has come. Owns retries, time limits and what
// of a failure is shown; knows no vendor.

import { backOff } from "../harness/back-off.ts";
import { header, isRetryable, ModelError, requestIdIn, retryAfter } from "../harness/model-error.ts";
import { pause } from "../harness/waiting.ts";
import type { Wire } from "../wire.ts";

/** What `fetch` is to us: the global one, or one of the same kind. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** A request, ready to be sent. */
export interface HttpRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** The body as JSON. */
  readonly body: string;
  /** What must not be shown. */
  readonly secrets: readonly string[];
  readonly signal: AbortSignal;
  readonly fetch: Fetch | undefined;
  readonly retries: number;
  /** 0 or Infinity for ever. */
  readonly timeoutMs: number;
  /** Reads the vendor's words out of an error body. */
  readonly wire: Wire;
}

/** Longer than this nobody is kept waiting, whatever the vendor asks for. */
const LONGEST_WAIT = 60_000;
/** Bytes of an error body that are looked at. */
const ERROR_BYTES = 65_536;
/** Characters of an error body without a message that are shown. */
const EXCERPT = 300;

/**
 * Sends a request and gives the answer once it is known to be one.
 *
 * @throws ModelError where there is none, after `retries` more tries where another may help.
 * @throws The signal's reason, where it was aborted.
 */
export async function post(request: HttpRequest): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await once(request);
    if (!(outcome instanceof ModelError)) return outcome;
    const wait = outcome.retryAfterMs ?? backOff(attempt);
    if (!outcome.retryable || attempt > request.retries || wait > LONGEST_WAIT) throw outcome.after(attempt);
    await pause(wait, request.signal);
  }
}

async function once(request: HttpRequest): Promise<Response | ModelError> {
  const { signal, timeoutMs } = request;
  signal.throwIfAborted();
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  let late = false;
  const over = new AbortController();
  if (timeoutMs > 0 && timeoutMs !== Infinity)
    pause(timeoutMs, over.signal).then(
      () => {
        late = true;
        controller.abort();
      },
      () => {},
    );
  try {
    const response = await send(request, controller.signal);
    // The body is cancelled by whoever reads it.
    return response.ok ? response : await refusal(request, response);
  } catch (error) {
    signal.throwIfAborted();
    if (late)
      return new ModelError("timeout", `No answer from ${place(request)} within ${timeoutMs} ms.`, { retryable: true });
    return new ModelError("connection", `${place(request)} could not be reached: ${hidden(wordsOf(error), request)}`, {
      retryable: true,
    });
  } finally {
    over.abort();
    signal.removeEventListener("abort", onAbort);
  }
}

function send({ url, headers, body, fetch }: HttpRequest, signal: AbortSignal): Promise<Response> {
  // A redirect is not followed: fetch would take a vendor's key header along to another origin.
  const init: RequestInit = { method: "POST", headers, body, signal, redirect: "manual" };
  return (fetch ?? globalThis.fetch)(url.href, init);
}

async function refusal(request: HttpRequest, response: Response): Promise<ModelError> {
  const { status, headers, type } = response;
  const requestId = requestIdIn(headers);
  const after = retryAfter(headers);
  const known = {
    ...(requestId === undefined ? {} : { requestId }),
    ...(after === undefined ? {} : { retryAfterMs: after }),
  };
  if (type === "opaqueredirect" || (status >= 300 && status < 400)) {
    void response.body?.cancel().catch(() => {});
    const words = `${place(request)} redirects. A key is not sent after a redirect: give the final address as baseURL.`;
    return new ModelError("redirected", words, { ...known, status });
  }
  const { code, message } = said(request.wire, status, await head(response));
  const words = message === "" ? "" : `: ${hidden(message, request)}`;
  return new ModelError("refused", `${place(request)} answered ${status}${words}`, {
    ...known,
    status,
    ...(code === null ? {} : { vendorCode: code }),
    retryable: mayHelp(status, code, headers),
  });
}

/** The servers of OpenAI and Anthropic say it themselves; a quota that is used up comes back with no wait. */
function mayHelp(status: number, code: string | number | null, headers: Headers): boolean {
  const advice = header(headers, "x-should-retry");
  if (advice === "true" || advice === "false") return advice === "true";
  return isRetryable(status) && code !== "insufficient_quota";
}

/** The beginning of a body. */
async function head(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) return "";
  const decoder = new TextDecoder();
  let text = "";
  for (let bytes = 0; bytes < ERROR_BYTES;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.length;
    text += decoder.decode(value, { stream: true });
  }
  void reader.cancel().catch(() => {});
  return text.slice(0, ERROR_BYTES);
}

/** The vendor's words in an error body: the wire's reader knows their spellings. */
function said(wire: Wire, status: number, body: string): { code: string | number | null; message: string } {
  const value = parsed(body);
  if (typeof value === "object" && value !== null) {
    const reader = wire.reader();
    reader.refused(status);
    for (const event of [...reader.push(value), ...reader.end()])
      if (event.type === "error") return { code: event.error.code, message: event.error.message };
  }
  return { code: null, message: body.trim().slice(0, EXCERPT) };
}

function parsed(body: string): unknown {
  try {
    const value: unknown = JSON.parse(body);
    return Array.isArray(value) ? value[0] : value;
  } catch {
    return undefined;
  }
}

/** The address without what may be secret in it. */
function place({ url }: HttpRequest): string {
  return url.origin + url.pathname;
}

/** What a failed fetch says; Node puts the reason one deeper. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  const reason = cause instanceof Error ? cause.message || (cause as { code?: unknown }).code : undefined;
  return typeof reason === "string" ? `${error.message} (${reason})` : error.message;
}

/** A text without the secrets: servers and fetch itself repeat what they were given. */
function hidden(text: string, { secrets }: HttpRequest): string {
  return secrets.reduce((shown, secret) => (secret === "" ? shown : shown.replaceAll(secret, "[hidden]")), text);
}
