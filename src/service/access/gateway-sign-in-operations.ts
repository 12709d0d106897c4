// How a person of a cloud signs in to a gateway: the gateway makes a code for the person, whom it knows by the link, and the cloud
// passes it on. So no password leaves the cloud, and what is asked for at sign-in there holds here.
import { AppError, refuse } from "#core/app-error.ts";
import { renderInstant } from "#core/time/instant.ts";
import type { Authenticator, TokenHolder } from "#service/access/authenticator.ts";
import { gatewayCodeSchema } from "#service/access/session-wire.ts";
import type { SignInCodes } from "#service/access/sign-in-codes.ts";
import { askedOfGateway } from "#service/operation/find-place.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { Type } from "#service/operation/schema.ts";
import { nullable } from "#service/operation/wire.ts";
import type { Call, Needs } from "#service/ports.ts";
import { visibleSite } from "#service/site/visible-site.ts";

export interface GatewaySignInNeeds extends Pick<Needs, "sites"> {
  readonly authenticator: Pick<Authenticator, "holder">;
  readonly signInCodes: Pick<SignInCodes, "create">;
  /** Where people reach the page of this installation, if its settings say so. */
  readonly pageAddress: () => string | undefined;
}

const NOT_SHARED = "the admin token of the cloud stays there: sign in with an account, or with another token";

export function gatewaySignInOperations(needs: GatewaySignInNeeds): readonly Operation[] {
  return [
    operation({
      method: "GET",
      path: "/v3/sites/:site_id/gateway_sign_in",
      name: "findGatewaySignIn",
      summary: "Whether the caller can sign in to the gateway of a site",
      description: "In a cloud, for people and tokens of that cloud; the gateway answers, so it has to be connected.",
      tag: "Access",
      level: "readonly",
      atGateway: askedOfGateway,
      answer: Type.Object(
        {
          possible: Type.Boolean(),
          url: nullable(Type.String({ description: "The address of its page; null if its settings do not say it." })),
        },
        { additionalProperties: false },
      ),
      run: async (call) => {
        await visibleSite(needs, call, call.params.site_id);
        const possible = await holderOfCloud(needs, call).then(
          (found) => found !== undefined,
          () => false,
        );
        return { possible, url: possible ? (needs.pageAddress() ?? null) : null };
      },
    }),
    operation({
      method: "POST",
      path: "/v3/sites/:site_id/sign_in_codes",
      name: "createGatewaySignInCode",
      summary: "Create a code that signs in to the gateway of a site",
      description:
        "In a cloud, for people and tokens of that cloud: the code is for the page of the gateway, which has to be connected. The session there has the " +
        "caller's levels, goes on without the line for `link.offline_access`, and ends with the caller's access and, of a person, with a new password.",
      tag: "Access",
      level: "readonly",
      atGateway: askedOfGateway,
      answer: gatewayCodeSchema,
      run: async (call) => {
        await visibleSite(needs, call, call.params.site_id);
        const found = await holderOfCloud(needs, call);
        if (found === undefined) throw refuse("conflict", NOT_SHARED);
        const { code, expiresAt } = await needs.signInCodes.create(found.token.id);
        const url = needs.pageAddress();
        return { code, expires_at: renderInstant(expiresAt), ...(url !== undefined && { url }) };
      },
    }),
  ];
}

/** The person or token of the cloud that calls. Undefined for its admin token, which stays there. */
async function holderOfCloud(needs: GatewaySignInNeeds, call: Call): Promise<TokenHolder | undefined> {
  // Only the link of the cloud says so. Other callers have a session here, or a token that gets one.
  if (call.door !== "cloud") throw refuse("conflict", "no gateway has this site: sign in where the call went to");
  const found = await known(needs, call.caller.tokenId);
  return found.token.fromCloud === true ? found : undefined;
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
