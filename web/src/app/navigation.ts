import alerts from "virtual:icon/bell-outline";
import catalogue from "virtual:icon/bookshelf";
import energy from "virtual:icon/chart-bar-stacked";
import explore from "virtual:icon/chart-line";
import executions from "virtual:icon/console-line";
import blueprints from "virtual:icon/file-document-edit-outline";
import access from "virtual:icon/key-outline";
import sites from "virtual:icon/map-marker-outline";
import devices from "virtual:icon/memory";
import rules from "virtual:icon/script-text-outline";
import system from "virtual:icon/server";
import controls from "virtual:icon/tune";
import overview from "virtual:icon/view-dashboard-outline";
import dashboards from "virtual:icon/view-grid-outline";
import { href } from "#web/router/paths.ts";
import type { Section } from "./routes.ts";

export type NavigationItem = {
  readonly section: Section;
  readonly icon: string;
  readonly href: string;
  /** Entries of one group stand together under its name. */
  readonly group?: "automation";
};

/** The entries of the navigation: screens that are built. Those of a site are there only when a site is chosen. */
export function navigation(siteId: string | undefined, hasSites: boolean): readonly NavigationItem[] {
  const ofSite: readonly NavigationItem[] =
    siteId === undefined
      ? []
      : [
          { section: "overview", icon: overview, href: href("site", { site: siteId }) },
          { section: "energy", icon: energy, href: href("energy", { site: siteId }) },
          { section: "devices", icon: devices, href: href("devices", { site: siteId }) },
          { section: "alerts", icon: alerts, href: href("alerts", { site: siteId }) },
          { section: "explore", icon: explore, href: href("explore", { site: siteId }) },
          { section: "dashboards", icon: dashboards, href: href("dashboards", { site: siteId }) },
          { section: "executions", icon: executions, href: href("executions", { site: siteId }) },
          { section: "rules", icon: rules, href: href("rules", { site: siteId }), group: "automation" },
          { section: "controls", icon: controls, href: href("controls", { site: siteId }), group: "automation" },
        ];
  return [
    ...ofSite,
    ...(hasSites || siteId === undefined ? [{ section: "sites", icon: sites, href: href("sites", {}) } as const] : []),
    { section: "catalogue", icon: catalogue, href: href("catalogue", {}) },
    { section: "blueprints", icon: blueprints, href: href("blueprints", {}) },
    { section: "access", icon: access, href: href("access", {}) },
    { section: "system", icon: system, href: href("system", {}) },
  ];
}
