/** Changes that remove all other parameters of a console address. */
export const ONLY = {
  ...{
    website: undefined,
    view: undefined,
    section: undefined,
    guide: undefined,
    search: undefined,
    sort: undefined,
    at: undefined,
    favorite: undefined,
  },
  ...{ range: undefined, from: undefined, to: undefined, metric: undefined, by: undefined, more: undefined },
  ...{
    pages: undefined,
    sources: undefined,
    places: undefined,
    technology: undefined,
    properties: undefined,
    f: undefined,
  },
  ...{ live: undefined, compare: undefined, since: undefined, second: undefined },
  ...{ webhook: undefined, state: undefined },
  ...{ goals: undefined, funnel: undefined, breakdown: undefined },
  ...{ journey: undefined, direction: undefined, steps: undefined },
};

/** Changes to another view of a website. What its statistics show stays for the way back. */
export const ofWebsite = (view: string | undefined) => ({
  view,
  ...{ section: undefined, guide: undefined, more: undefined },
});
