// The payload of an AWS message and its exchange for another. Owns the lengths and checksums of that framing.
//
//     total length  headers length  CRC of these 8  headers  payload  CRC of all before
//     4 bytes       4 bytes         4 bytes                           4 bytes
//
// https://smithy.io/2.0/aws/amazon-eventstream.html

const PRELUDE = 12;
const CHECKSUM = 4;

/** Where the payload of a message stands; undefined where its lengths make no sense. */
function payloadOf(message: Uint8Array): readonly [number, number] | undefined {
  if (message.length < PRELUDE + CHECKSUM) return undefined;
  const view = new DataView(message.buffer, message.byteOffset, message.length);
  const start = PRELUDE + view.getUint32(4);
  const end = message.length - CHECKSUM;
  return view.getUint32(0) === message.length && start <= end ? [start, end] : undefined;
}

/**
 * The message with another payload, its lengths and checksums made right.
 *
 * @param message A whole message.
 * @param change Makes the new payload of the old one.
 * @returns The message as it was where it is damaged: that may be the very thing to report.
 */
export function withPayload(message: Uint8Array, change: (payload: Uint8Array) => Uint8Array): Uint8Array {
  const place = payloadOf(message);
  if (place === undefined) return message;
  const [start, end] = place;
  const payload = change(message.subarray(start, end));
  const made = new Uint8Array(start + payload.length + CHECKSUM);
  made.set(message.subarray(0, start));
  made.set(payload, start);
  const view = new DataView(made.buffer);
  view.setUint32(0, made.length);
  view.setUint32(8, crc32(made.subarray(0, 8)));
  view.setUint32(made.length - CHECKSUM, crc32(made.subarray(0, made.length - CHECKSUM)));
  return made;
}

const TABLE: Uint32Array = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** The CRC-32 of IEEE 802.3. */
function crc32(bytes: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of bytes) value = (value >>> 8) ^ (TABLE[(value ^ byte) & 0xff] as number);
  return (value ^ 0xffffffff) >>> 0;
}
