import type { FastifyRequest } from "fastify";
import type { Caller } from "#core/access/caller.ts";
import { DOOR_HEADER, type Door, doorOfCall } from "#core/access/door.ts";

/** Undefined for a call that needs no token: nobody is behind it. */
export function doorOfRequest({ headers }: Pick<FastifyRequest, "headers">, caller: Caller): Door | undefined {
  if (caller.tokenId === "") return undefined;
  const said = headers[DOOR_HEADER];
  return doorOfCall(caller, typeof said === "string" ? said : undefined);
}
