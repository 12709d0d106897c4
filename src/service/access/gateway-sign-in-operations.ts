// How a person of a cloud signs in to a gateway: the gateway makes a code for the person, whom it knows by the link, and the cloud
// passes it on. So no password leaves the cloud, and what is asked for at sign-in there holds here.
import { isPersonOfCloud } from "#core/access/token-record.ts";
import { AppError, refuse } from "#core/app-error.ts";
import { renderInstant } from "#core/time/instant.ts";
import type { Authenticator, TokenHolder } from "#service/access/authenticator.ts";
import { codeSchema } from "#service/access/session-wire.ts";
import type { SignInCodes } from "#service/access/sign-in-codes.ts";
import { askedOfGateway } from "#service/operation/find-place.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import type { Needs } from "#service/ports.ts";
import { visibleSite } from "#service/site/visible-site.ts";

export interface GatewaySignInNeeds extends Pick<Needs, "sites"> {
  readonly authenticator: Pick<Authenticator, "holder">;
  readonly signInCodes: Pick<SignInCodes, "create">;
}

export function gatewaySignInOperations(needs: GatewaySignInNeeds): readonly Operation[] {
  return [
    operation({
      method: "POST",
      path: "/v3/sites/:site_id/sign_in_codes",
      name: "createGatewaySignInCode",
      summary: "Create a code that signs in to the gateway of a site",
      description:
        "In a cloud, for a person of that cloud: the code is for the page of the gateway, which has to be connected. The session there has the " +
        "person's levels, goes on without the line for `link.offline_access`, and ends with the person's access or with a new password.",
      tag: "Access",
      level: "readonly",
      atGateway: askedOfGateway,
      answer: codeSchema,
      run: async (call) => {
        await visibleSite(needs, call, call.params.site_id);
        // Only the link of the cloud says so. Other callers have a session here, or a token that gets one.
        if (call.door !== "cloud") throw refuse("conflict", "no gateway has this site: sign in where the call went to");
        const { token } = await known(needs, call.caller.tokenId);
        if (!isPersonOfCloud(token))
          throw refuse("conflict", "this is for people of the cloud; a token is sent as it is");
        const { code, expiresAt } = await needs.signInCodes.create(token.id);
        return { code, expires_at: renderInstant(expiresAt) };
      },
    }),
  ];
}

async function known({ authenticator }: GatewaySignInNeeds, tokenId: string): Promise<TokenHolder> {
  try {
    return await authenticator.holder(tokenId);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const why =
      "it takes nobody of the cloud (link.offline_access), has revoked this access, or has not heard of it yet";
    throw refuse("conflict", `the gateway does not let this person in: ${why}`);
  }
}
