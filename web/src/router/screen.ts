import type { DeviceState } from "#web/data/device-state.svelte.ts";
import type { SiteState } from "#web/data/site-state.svelte.ts";
import type { Params, RouteName } from "./paths.ts";
import type { Query } from "./query.ts";

/** What every screen is given. */
export type ScreenProps<Name extends RouteName> = { readonly params: Params<Name>; readonly query: Query };

/** What a screen of a site is given. The site may still be loading: look at `site.phase`. */
export type SiteScreenProps<Name extends RouteName> = ScreenProps<Name> & { readonly site: SiteState };

/** What a tab of a device is given. The device is there; its values may still be loading. */
export type DeviceScreenProps<Name extends RouteName> = SiteScreenProps<Name> & { readonly device: DeviceState };
