/** The rules of sites that have none. */
export const NO_RULES = {
  engineState: async () => "ACTIVE",
  ids: async () => [],
  list: async () => ({ items: [], total: 0 }),
  reports: async () => new Map(),
  variables: async () => [],
};
