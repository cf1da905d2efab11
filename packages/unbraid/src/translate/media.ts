// Images, sounds and files as vendors name them: data URLs, types by the ends of names. Owns these readings.

import type { ContentPart } from "../turns/content.ts";

const DATA_URL = /^data:([^;,]*)((?:;[^;,]*)*),/;

/** What a media type is where nobody says it, by the end of a name or an address. */
const BY_ENDING: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  heic: "image/heic",
  svg: "image/svg+xml",
  pdf: "application/pdf",
  txt: "text/plain",
  md: "text/markdown",
  csv: "text/csv",
  html: "text/html",
  json: "application/json",
  wav: "audio/wav",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
};

/** An image by its address, which may be a data URL. */
export function imageOf(address: string): ContentPart {
  const data = dataIn(address);
  if (data !== undefined) return { type: "image", mediaType: data.mediaType || "image/png", data: data.data };
  return { type: "image", mediaType: typeByEnding(address) ?? "image/jpeg", url: address };
}

/** A file by its bytes in base64, or in a data URL. */
export function fileOf(data: string, name: string | undefined, mediaType?: string): ContentPart {
  const inUrl = dataIn(data);
  const type =
    mediaType ?? (inUrl?.mediaType || (name === undefined ? undefined : typeByEnding(name))) ?? "application/pdf";
  return { type: "file", mediaType: type, data: inUrl?.data ?? data, ...(name === undefined ? {} : { name }) };
}

/** A file by its address. */
export function fileAt(url: string, name: string | undefined, mediaType?: string): ContentPart {
  const type = mediaType ?? typeByEnding(name ?? url) ?? typeByEnding(url) ?? "application/pdf";
  return { type: "file", mediaType: type, url, ...(name === undefined ? {} : { name }) };
}

/** A part of any type: an image is told from a file by it. */
export function mediaOf(mediaType: string, source: { readonly data?: string; readonly url?: string }): ContentPart {
  return { type: mediaType.startsWith("image/") ? "image" : "file", mediaType, ...source };
}

function dataIn(url: string): { readonly mediaType: string; readonly data: string } | undefined {
  const found = DATA_URL.exec(url);
  if (found === null) return undefined;
  const [head, mediaType = "", rest = ""] = found;
  const data = url.slice(head.length);
  return { mediaType, data: rest.includes(";base64") ? data : btoa(unescaped(data)) };
}

/** Bytes of a percent-encoded text, as `btoa` takes them. */
function unescaped(text: string): string {
  try {
    return Array.from(new TextEncoder().encode(decodeURIComponent(text)), (byte) => String.fromCharCode(byte)).join("");
  } catch {
    return "";
  }
}

function typeByEnding(name: string): string | undefined {
  const ending = /\.([a-z0-9]{2,5})(?:[?#]|$)/i.exec(name)?.[1]?.toLowerCase();
  return ending !== undefined && Object.hasOwn(BY_ENDING, ending) ? BY_ENDING[ending] : undefined;
}
