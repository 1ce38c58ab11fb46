import { type Condition, filtersOf, NO_CONDITION } from './conditions';
import { words } from './words';

/** The website that `npm run demo` fills. What is created by one click there fits its visits. */
export const DEMO_DOMAIN = 'demo.example';

const ANY_PAGE: Condition = { ...NO_CONDITION, kind: 'pattern', text: '/' };
const PRICING: Condition = { ...NO_CONDITION, text: '/pricing' };
const SIGNUP: Condition = { ...NO_CONDITION, kind: 'event', text: 'signup' };

export const EXAMPLE_GOAL = { name: words.goals.exampleName, filters: filtersOf(SIGNUP) };

const stepOf = (condition: Condition) => ({ name: null, filters: filtersOf(condition) });

export const EXAMPLE_FUNNEL = {
  name: words.funnels.exampleName,
  steps: [ANY_PAGE, PRICING, SIGNUP].map(stepOf),
};
