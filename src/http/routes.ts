// Everything that the server serves: the declared operations, their other paths, and what the server says about itself.
import { compatibilityRoutes } from "#http/compatibility.ts";
import type { Route } from "#http/route.ts";
import { type SystemNeeds, systemRoutes } from "#http/system/system-routes.ts";
import type { GatewayChanges } from "#service/link/gateway-changes.ts";
import { type Gateways, withPendingChange } from "#service/operation/ask-gateway.ts";
import type { AnyCall } from "#service/operation/operation.ts";
import type { Operations } from "#service/operation/perform.ts";
import type { Needs } from "#service/ports.ts";

export interface RouteNeeds extends Pick<Needs, "devices" | "sites">, SystemNeeds {
  readonly operations: Operations;
  /** Undefined where no gateways connect. */
  readonly gatewayChanges: GatewayChanges | undefined;
  readonly gatewayQuestions: Gateways["questions"] | undefined;
}

/** From here on the operations can be performed. `declared` is in the order of the reference. */
export function createRoutes(needs: RouteNeeds, declared: readonly Route[]): readonly Route[] {
  const { operations } = needs;
  const answering = declared.map(withPendingChange);
  const { gatewayChanges: changes, gatewayQuestions: questions } = needs;
  operations.open(answering, changes && questions && { changes, questions });
  const routes = answering.map((one) => ({
    ...one,
    run: (call: AnyCall) => operations.run(one, call),
    ...(one.live !== undefined && { live: (call: AnyCall) => operations.follow(one, call) }),
  }));
  const all = [...routes, ...compatibilityRoutes(needs, routes)];
  return [...all, ...systemRoutes(needs, all)];
}
