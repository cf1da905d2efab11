// The public surface of `@unbraid/server`, by name, nothing else.

export { ConfigError, parseConfig, type ProxyConfig, readConfig } from "./config.ts";
export { mendStream, type MendStreamOptions, type StreamMender } from "./mend/mend-stream.ts";
export { mendWhole, type WholeOptions } from "./mend/whole.ts";
export type { AnswerHead, ExchangeInfo, ExchangeListener, ExchangeSummary, Observer } from "./observe/observer.ts";
export type { WriteLine } from "./observe/log.ts";
export type { RawHeaders } from "./proxy/headers.ts";
export { type Proxy, startProxy } from "./proxy/proxy.ts";
export type { ProxyLimits, ProxyOptions, ProxyTimeouts } from "./proxy/settings.ts";
export type { UpstreamOptions } from "./proxy/target.ts";
export type { RecorderOptions } from "./record/recorder.ts";
export { type Replay, type ReplayOptions, startReplay } from "./replay/replay.ts";
