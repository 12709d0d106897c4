// The hardware ports of a scenario: as the hub, they know what can be asked of each kind.

import { ScriptedCan } from "#drivers/can/peer.ts";
import { ScriptedLevel } from "#drivers/levels/peer.ts";
import { ScriptedModbus } from "#drivers/modbus/peer.ts";
import { type FindPeer, nobody, portKey } from "#drivers/scripted-peer.ts";
import { ScriptedSerial } from "#drivers/serial/peer.ts";
import type { Timers } from "#drivers/timers.ts";
import type { PeerKind } from "#manifest/scenario/peers.ts";
import type { PortAnswer, PortRequest, PortSession } from "./port-request.ts";

/** How long a port that no peer serves keeps a script waiting. */
const NOBODY_MS = 1_000;

export function scriptedPorts(timers: Timers, find: FindPeer): PortSession {
  /** What each level port was opened as: a relay and an input may have the same name. */
  const uses = new Map<string, PeerKind>();
  return {
    call(port, request) {
      const key = portKey(port);
      if (request.op === "open" && isLevelUse(request.use)) uses.set(port, request.use);
      const patience = "timeoutMs" in request ? request.timeoutMs : NOBODY_MS;
      return answerFor(find, { key, request, use: uses.get(port) }) ?? nobody(timers, patience, key);
    },
    close() {},
  };
}

const LEVEL_USES: readonly string[] = ["relay", "digitalin", "digitalout", "analogin", "analogout"];

function isLevelUse(use: string): use is PeerKind {
  return LEVEL_USES.includes(use);
}

interface Asked {
  readonly key: string;
  readonly request: PortRequest;
  readonly use: PeerKind | undefined;
}

/** Undefined where nobody answers. */
function answerFor(find: FindPeer, { key, request, use }: Asked): Promise<PortAnswer> | undefined {
  switch (request.op) {
    case "open":
    case "serial.lock":
    case "serial.unlock":
      return Promise.resolve(undefined);
    case "modbus":
      return find(ScriptedModbus, key)?.request(request.unit, request.pdu, request.timeoutMs);
    case "serial.read":
      return find(ScriptedSerial, key)?.read(request.count, request.timeoutMs);
    case "serial.receive":
      return find(ScriptedSerial, key)?.receive(request.count, request.timeoutMs);
    case "serial.write":
      return find(ScriptedSerial, key)?.write(request.data);
    case "serial.flush":
      return find(ScriptedSerial, key)?.flush();
    case "can.send":
      return find(ScriptedCan, key)?.frame(request.id, request.data);
    case "can.listen":
      return find(ScriptedCan, key)?.listen(request.filter);
    case "can.take":
      return find(ScriptedCan, key)?.take(request.listener, request.ids);
    case "can.log":
      return find(ScriptedCan, key)?.log(request.size);
    case "can.take_log":
      return find(ScriptedCan, key)?.takeLog(request.listener);
    case "can.drops":
      return find(ScriptedCan, key)?.drops(request.listener, request.id);
    case "level.read":
      return find(ScriptedLevel, key, use)?.read(request.quantity);
    case "level.write":
      return find(ScriptedLevel, key, use)?.write(request.quantity, request.value);
    case "level.impulse":
      return find(ScriptedLevel, key, use)?.impulse(request.ms);
  }
}
