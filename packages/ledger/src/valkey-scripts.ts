// The scripts of the ledger in Valkey or Redis. Owns what one run's hash holds; knows no client.
//
// One key is one run, a hash, so that a run lies on one slot of a cluster, vanishes as a whole or not at all, and every
// change of it is atomic:
//
//   v             version of this layout
//   changed       when it was changed last, in milliseconds of the server's clock
//   c:TURN:CALL   a call as JSON: tool, hash, worker, token, attempt, state, expires
//   r:TURN:CALL   the call's result, as it was given
//   t:TURN        a turn as it was opened
//   u:TURN        the turn's results

import { createHash } from "node:crypto";

/** One script, and the name under which the server keeps it. */
export interface Script {
  /** Its text. */
  readonly text: string;
  /** Its SHA-1, in hexadecimal. */
  readonly sha: string;
}

/** The version of the layout that this code knows. */
const LAYOUT_VERSION = 1;

/** What the errors of the scripts begin with. */
export const SCRIPT_ERRORS = { foreign: "UNBRAIDFOREIGN", newer: "UNBRAIDNEWER", noTurn: "UNBRAIDNOTURN" } as const;

/**
 * KEYS[1] is the run; ARGV[1] says for how many milliseconds a run is kept after its last change, 0 for ever. A run's time
 * is only ever lengthened, and outlives its leases. The server's clock is the only one.
 */
const PRELUDE = `
local run, idle = KEYS[1], tonumber(ARGV[1])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local kind = redis.call('TYPE', run).ok
if kind ~= 'none' then
  local version = kind == 'hash' and redis.call('HGET', run, 'v')
  if not version then return redis.error_reply('${SCRIPT_ERRORS.foreign} the key is used by something else') end
  if tonumber(version) > ${LAYOUT_VERSION} then return redis.error_reply('${SCRIPT_ERRORS.newer} ' .. version) end
end
local function changed(lease)
  redis.call('HSET', run, 'v', '${LAYOUT_VERSION}', 'changed', string.format('%.0f', now))
  local keep = math.max(idle, lease or 0)
  if idle > 0 and redis.call('PTTL', run) < keep then redis.call('PEXPIRE', run, string.format('%.0f', keep)) end
end
local function find(field)
  local text = redis.call('HGET', run, 'c:' .. field)
  return text and cjson.decode(text)
end
local function keep(field, call)
  redis.call('HSET', run, 'c:' .. field, cjson.encode(call))
end
`;

/** The names of the scripts. */
export type ScriptName =
  | "claim"
  | "renew"
  | "record"
  | "release"
  | "openTurn"
  | "closeTurn"
  | "turns"
  | "forgetRun"
  | "forgetOld";

const HELD = `
local field, token = ARGV[2], ARGV[3]
local call = find(field)
if not call or call.token ~= token then return 0 end
`;

const bodies: Readonly<Record<ScriptName, string>> = {
  claim: `
local field, tool, hash, worker, token = ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]
local lease, takes = tonumber(ARGV[7]), ARGV[8] == '1'
local call = find(field)
if not call then
  call = { tool = tool, hash = hash, worker = worker, token = token, attempt = 1, state = 'claimed', expires = now + lease }
  keep(field, call)
  changed(lease)
elseif call.state == 'claimed' and call.hash == hash and call.expires <= now then
  if takes then
    call.worker, call.token, call.attempt, call.expires = worker, token, call.attempt + 1, now + lease
  else
    call.state, call.token = 'unknown', nil
  end
  keep(field, call)
  changed(lease)
end
local result = call.state == 'recorded' and redis.call('HGET', run, 'r:' .. field) or ''
local left = string.format('%.0f', call.expires - now)
return { call.state, call.hash, call.worker, call.token or '', tostring(call.attempt), result, left }`,

  renew: `${HELD}
if call.state ~= 'claimed' then return 0 end
local lease = tonumber(ARGV[4])
call.expires = now + lease
keep(field, call)
changed(lease)
return 1`,

  record: `${HELD}
if call.state == 'recorded' then return redis.call('HGET', run, 'r:' .. field) == ARGV[4] and 1 or 0 end
if call.state ~= 'claimed' then return 0 end
call.state = 'recorded'
keep(field, call)
redis.call('HSET', run, 'r:' .. field, ARGV[4])
changed()
return 1`,

  release: `${HELD}
if call.state ~= 'claimed' then return 0 end
if call.attempt > 1 then
  call.token, call.expires = nil, now
  keep(field, call)
  changed()
else
  redis.call('HDEL', run, 'c:' .. field)
  -- Nothing but its version and its time is left of the run.
  if redis.call('HLEN', run) <= 2 then redis.call('DEL', run) else changed() end
end
return 1`,

  openTurn: `
local turn = ARGV[2]
if redis.call('HSETNX', run, 't:' .. turn, ARGV[3]) == 1 then
  if ARGV[4] ~= '' then redis.call('HSET', run, 'u:' .. turn, ARGV[4]) end
  changed()
end
return redis.call('HMGET', run, 't:' .. turn, 'u:' .. turn)`,

  closeTurn: `
local turn = ARGV[2]
if redis.call('HEXISTS', run, 't:' .. turn) == 0 then return redis.error_reply('${SCRIPT_ERRORS.noTurn} no such turn') end
if redis.call('HSETNX', run, 'u:' .. turn, ARGV[3]) == 1 then changed() end
return redis.call('HGET', run, 'u:' .. turn)`,

  turns: `
local numbers, found = {}, {}
for _, field in ipairs(redis.call('HKEYS', run)) do
  if string.sub(field, 1, 2) == 't:' then table.insert(numbers, tonumber(string.sub(field, 3))) end
end
table.sort(numbers)
for _, number in ipairs(numbers) do
  local turn = string.format('%.0f', number)
  table.insert(found, redis.call('HMGET', run, 't:' .. turn, 'u:' .. turn))
end
return found`,

  forgetRun: `return redis.call('DEL', run)`,

  forgetOld: `
if kind == 'none' then return 0 end
if tonumber(redis.call('HGET', run, 'changed')) > now - tonumber(ARGV[2]) then return 0 end
for _, field in ipairs(redis.call('HKEYS', run)) do
  if string.sub(field, 1, 2) == 'c:' then
    local call = find(string.sub(field, 3))
    if call.state == 'claimed' and call.expires > now then return 0 end
  end
end
return redis.call('DEL', run)`,
};

function script(body: string): Script {
  const text = PRELUDE + body;
  return { text, sha: createHash("sha1").update(text).digest("hex") };
}

/** Every script. */
export const SCRIPTS: Readonly<Record<ScriptName, Script>> = {
  claim: script(bodies.claim),
  renew: script(bodies.renew),
  record: script(bodies.record),
  release: script(bodies.release),
  openTurn: script(bodies.openTurn),
  closeTurn: script(bodies.closeTurn),
  turns: script(bodies.turns),
  forgetRun: script(bodies.forgetRun),
  forgetOld: script(bodies.forgetOld),
};
