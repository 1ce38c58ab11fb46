import { render } from 'preact';
import { Statistics } from './statistics/statistics';
import { language } from './shared/language/language';
import './styles.css';

document.documentElement.lang = language;

const app = document.getElementById('app')!;
const { domain = '', timezone = 'UTC', geography, embed, owner, filters, annotations } = app.dataset;
const api = `${location.pathname}/api`;

render(
  <Statistics
    reading={{
      domain,
      isOwner: owner !== undefined,
      mayFilter: filters !== undefined,
      isLiveWhole: false,
      annotations: annotations === undefined ? undefined : { url: `${api}/annotations` },
      places: {
        ...{
          stats: `${api}/stats`,
          summary: `${api}/summary`,
          query: `${api}/query`,
          values: `${api}/values`,
          live: `${api}/live`,
        },
        headers: {},
      },
    }}
    timezone={timezone}
    isEmbedded={embed !== undefined}
    attributesGeography={geography === 'db-ip'}
  />,
  app,
);
