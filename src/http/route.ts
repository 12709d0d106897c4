// An operation as the server serves it.

import type { AnyCall, Operation, OperationDescription } from "#service/operation/operation.ts";
import type { LinkSocket } from "#service/ports/link-socket.ts";

interface OfHttp {
  /** The operation that this path is an alias of. Its name appears in the audit log and the metrics. */
  readonly aliasOf?: string;
}

export interface RouteDescription extends OperationDescription, OfHttp {}

export interface Route extends Operation, OfHttp {
  /** For a WebSocket on which both sides speak. It is opened after this call. */
  readonly link?: (call: AnyCall) => Promise<LinkServer>;
}

export interface LinkServer {
  /** Who has signed in. */
  readonly who: string;
  serve(socket: LinkSocket): void;
}
