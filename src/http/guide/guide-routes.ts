import { refuse } from "#core/app-error.ts";
import { htmlAnswer } from "#http/page/html-answer.ts";
import { type Operation, operation } from "#service/operation/operation.ts";

const tag = "System";
const answer = { contentType: "text/html", description: "A page for people." };

export interface GuideNeeds {
  /** The HTML of a page, or of the index without a name; undefined when there is none. */
  readonly guide: (name?: string) => string | undefined;
}

/** The documentation, readable without a token and without the internet. */
export function guideRoutes({ guide }: GuideNeeds): readonly Operation[] {
  const serve = async (html: string | undefined, missing: string) => {
    if (html === undefined) throw refuse("not_found", missing);
    return htmlAnswer(html);
  };
  return [
    operation({
      method: "GET",
      path: "/docs/guide",
      name: "getGuide",
      summary: "The guide",
      tag,
      level: "public",
      answer,
      run: async () => serve(guide(), "the guide is not built: run npm run build in the checkout"),
    }),
    operation({
      method: "GET",
      path: "/docs/guide/:page",
      name: "getGuidePage",
      summary: "A page of the guide",
      tag,
      level: "public",
      answer,
      run: async ({ params: { page } }) =>
        serve(guide(page), `the guide has no page ${JSON.stringify(page.slice(0, 100))}`),
    }),
  ];
}
