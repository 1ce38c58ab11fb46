import { useEffect, useRef, useState } from 'preact/hooks';
import { go } from './address';
import { type Failure, saveCsv, type StatName, type StatsAnswer, urlOf } from './api';
import { MoreTable } from './more-table';
import { Trouble } from './notices';
import { Pager } from './pager';
import type { RangeName, Span } from './ranges';
import { Search } from './search';
import type { Questions } from './statistics';
import { texts } from './texts';
import { useAnswer } from './use-answer';

const PER_PAGE = 25;
const CLOSED = { more: undefined, search: undefined, sort: undefined, at: undefined };

export function moreIn(address: URLSearchParams): StatName | undefined {
  const name = address.get('more');
  return name !== null && Object.hasOwn(texts.names, name) ? (name as StatName) : undefined;
}

interface Props {
  name: StatName;
  address: URLSearchParams;
  span: Span;
  range: RangeName;
  questions: Questions;
  domain: string;
}

/** All entries of one name, a page at a time. */
export function More({ name, address, span, range, questions, domain }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current!.showModal(), []);
  const order = address.get('sort') === 'value' ? 'value' : 'count';
  const question = {
    name,
    ...span,
    compare: range === 'all' ? undefined : 'previous',
    search: address.get('search') ?? undefined,
    sort_by: order,
    sort: order === 'value' ? 'asc' : 'desc',
    per_page: PER_PAGE,
    page: Math.max(1, Math.floor(Number(address.get('at'))) || 1),
  };
  const url = urlOf(questions.stats, question);
  const answer = useAnswer<StatsAnswer>(url);
  const [failedToSave, setFailedToSave] = useState<Failure>();
  const download = () => {
    const file = `${domain}-${name}-${span.from}-${span.to}.csv`;
    saveCsv(url, file).then(() => setFailedToSave(undefined), setFailedToSave);
  };
  const failure = answer.failure ?? failedToSave;
  return (
    <dialog
      ref={dialog}
      class="more"
      aria-labelledby="more-title"
      onCancel={(event) => (event.preventDefault(), go(CLOSED))}
      onClick={(event) => event.target === dialog.current && go(CLOSED)}
    >
      <div class="more-head">
        <h2 id="more-title">{texts.names[name]}</h2>
        <button class="close" onClick={() => go(CLOSED)} aria-label={texts.more.close}>
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d="m4 4 8 8m0-8-8 8" />
          </svg>
        </button>
      </div>
      <div class="tools">
        <Search address={address} />
        <button class="plain" onClick={download} disabled={!answer.data?.data.length}>
          {texts.chart.download}
        </button>
      </div>
      {failure && <Trouble failure={failure} retry={answer.failure ? answer.retry : download} />}
      <div
        class="more-list"
        aria-busy={answer.isLoading}
        tabIndex={0}
        role="region"
        aria-labelledby="more-title"
      >
        {answer.data && <MoreTable answer={answer.data} order={order} domain={domain} />}
      </div>
      {answer.data && <Pager {...answer.data.meta} />}
    </dialog>
  );
}
