/** Values of path parameters in examples. A test puts those of a real installation in their place. */
export const EXAMPLE_IDS = {
  device_id: "pcs",
  site_id: "01a1ddf6-3df4-7222-ba90-360256020b40",
  blueprint_id: "01a1ddf6-3df5-7101-8c1d-9e1f0c7a5b21",
  execution_id: "01a1ddf6-6088-7708-a563-d954b509f38b",
  webhook_id: "01a1ddf7-0a11-7c3e-9d52-6f1e8b2c4d30",
  delivery_id: "5f0c3a9d6f3e4b1c8a7d2e9b4c6f8a10",
  token_id: "01a1ddf7-1b22-7d4f-8e63-7a2f9c3d5e41",
  session_id: "01a1ddf7-2c33-7e5a-9f74-8b3a0d4e6f52",
  gateway_id: "01a1ddf7-3d44-7f6b-8a85-9c4b1e5f7a63",
  change_id: "01a1ddf7-5f66-7b8d-8ca7-be6d3a7b9c85",
  rollout_id: "01a1ddf7-4e55-7a7c-9b96-ad5c2f6a8b74",
  entry_id: "examples.battery",
  bucket: "grid",
  page: "concepts",
  name: "battery",
  tag: "latest",
} as const;
