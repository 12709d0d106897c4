/** The rules of sites that have none. */
export const NO_RULES = {
  engineState: async () => "ACTIVE",
  list: async () => ({ items: [], total: 0 }),
  reports: async () => new Map(),
  variables: async () => [],
};
