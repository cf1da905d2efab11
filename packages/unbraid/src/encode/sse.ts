// Server-sent events as text. Owns the framing of one message. JSON never holds a line end, so `data` is one line.

/** The headers of an event stream, the media type aside: proxies and browsers must neither keep nor gather it. */
export const SSE_HEADERS: Readonly<Record<string, string>> = { "cache-control": "no-cache", "x-accel-buffering": "no" };

/** The media type of an event stream. */
export const SSE_TYPE = "text/event-stream; charset=utf-8";

/** A comment: keeps the connection alive and means nothing. */
export const SSE_KEEP_ALIVE = ": keep-alive\n\n";

/** One message without a name. */
export function sse(data: string): string {
  return `data: ${data}\n\n`;
}

/** One message with a name. */
export function namedSse(event: string, data: string): string {
  return `event: ${event}\ndata: ${data}\n\n`;
}
