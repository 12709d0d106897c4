declare module "virtual:icon/*" {
  /** The drawing as an SVG path in a square of 24 units. */
  const path: string;
  export default path;
}

declare module "virtual:icon-groups" {
  /** Undefined when there is no icon of this name. */
  const load: (name: string) => Promise<string | undefined>;
  export default load;
}
