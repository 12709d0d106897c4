/** The way to the servers that prices are fetched from. */
export interface PriceFetcher {
  /** Why this address is not allowed, as far as that is known without a network request. */
  problemWith(url: URL): string | undefined;
  /** Never rejects: every failure is described, without secrets. */
  fetch(request: PriceRequest, signal: AbortSignal): Promise<FetchedText>;
}

interface PriceRequest {
  readonly url: URL;
  readonly header: { readonly name: string; readonly value: string } | undefined;
}

export type FetchedText = { readonly text: string } | { readonly error: string };
