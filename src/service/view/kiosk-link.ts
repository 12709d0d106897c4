// A link for a screen on a wall: it signs in once, with a token that can only read this site and that ends by itself. The
// token's text exists nowhere: nobody can sign in with it again.
import { refuse } from "#core/app-error.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import { createToken } from "#service/access/create-token.ts";
import type { SignInCodes } from "#service/access/sign-in-codes.ts";
import type { Call, Needs } from "#service/ports.ts";
import { type ViewNeeds, visibleView } from "#service/view/saved-views.ts";

export type KioskNeeds = ViewNeeds &
  Pick<Needs, "tokens" | "randomBytes"> & { readonly signInCodes: Pick<SignInCodes, "create"> };

export interface KioskLink {
  readonly tokenId: string;
  readonly tokenExpiresAt: Instant;
  readonly code: string;
  readonly codeExpiresAt: Instant;
}

export async function createKioskLink(
  needs: KioskNeeds,
  call: Call,
  { siteId, id, expiresInMs }: { readonly siteId: string; readonly id: string; readonly expiresInMs: number },
): Promise<KioskLink> {
  const view = await visibleView(needs, call, { siteId, id });
  if (view.kind !== "dashboard") throw refuse("conflict", "only a dashboard can be shown on a wall");
  if (view.ownerId !== undefined) throw refuse("conflict", "share the dashboard first: the screen signs in as itself");
  const access = { level: "readonly", siteIds: [view.siteId], expiresInMs } as const;
  // The screen stays on its wall when the person who made the link goes.
  const grant = { name: `Kiosk ${view.name}`, ...access, ofInstallation: true };
  const tokenExpiresAt = instant(needs.now() + expiresInMs);
  const { id: tokenId } = await createToken(needs, call, grant);
  const { code, expiresAt: codeExpiresAt } = await needs.signInCodes.create(tokenId, true);
  return { tokenId, tokenExpiresAt, code, codeExpiresAt };
}
