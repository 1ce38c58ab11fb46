/** The limits of all filters of a question together, with what goals and saved filters in them stand for. */
export const FILTER_LIMITS = { levels: 20, savedLevels: 3, conditions: 100, values: 1000 };

/** The limits of what one request may ask for. */
export const QUESTION_LIMITS = {
  /** The parameter `filter`. */
  filterBytes: 4096,
  /** In the body of a request. */
  queries: 20,
  dimensions: 3,
  orderings: 10,
  rowsOfPage: 1000,
  /** In a summary. */
  names: 40,
  stepsOfFunnel: { least: 2, most: 8 },
  stepsOfJourney: 5,
};
