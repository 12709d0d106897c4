import { refuse } from "#core/app-error.ts";
import type { GuideSource } from "#http/guide/guide-page.ts";
import { htmlAnswer } from "#http/page/html-answer.ts";
import { type Route, route } from "#http/route.ts";

const tag = "System";
const answer = { contentType: "text/html", description: "A page for people." };

export interface GuideNeeds {
  readonly guide: GuideSource;
}

/** The documentation, readable without a token and without the internet. */
export function guideRoutes({ guide }: GuideNeeds): readonly Route[] {
  // Loaded when somebody reads a page, so that a start is shorter.
  const pages = () => import("#http/guide/guide-page.ts");
  const render = async (name: string, base: string) => {
    const { renderGuidePage } = await pages();
    const html = renderGuidePage(guide, name, base);
    if (html === undefined) throw refuse("not_found", `the guide has no page ${JSON.stringify(name.slice(0, 100))}`);
    return htmlAnswer(html);
  };
  return [
    route({
      method: "GET",
      path: "/docs/guide",
      operation: "getGuide",
      summary: "The guide",
      tag,
      access: "public",
      answer,
      handle: async () => render((await pages()).INDEX, "guide/"),
    }),
    route({
      method: "GET",
      path: "/docs/guide/:page",
      operation: "getGuidePage",
      summary: "A page of the guide",
      tag,
      access: "public",
      answer,
      handle: async ({ params }) => render(params.page, ""),
    }),
  ];
}
