import { useState } from 'preact/hooks';
import { urlOf } from '../../shared/api';
import { pageIn, Pager } from '../../shared/controls/pager';
import { Trouble } from '../../shared/notices';
import { texts } from '../../shared/texts';
import { useAnswer } from '../../shared/use-answer';
import { API, type Key, type PageOf, type Session } from '../client';
import { useTitle } from '../use-title';
import './keys.css';
import { KeysTable } from './keys-table';
import { NewKeyDialog } from './new-key';
import { useWebsites } from './use-websites';

const words = texts.console.keys;

export function Keys({ session, address }: { session: Session; address: URLSearchParams }) {
  useTitle(words.title);
  const [turn, setTurn] = useState(0);
  const [isMaking, setMaking] = useState(false);
  const page = pageIn(address);
  const answer = useAnswer<PageOf<Key>>(urlOf(`${API}/keys`, { per_page: 25, page }), turn);
  const websites = useWebsites();
  const update = () => setTurn(turn + 1);
  return (
    <main>
      <div class="title-row">
        <div>
          <h1>{words.title}</h1>
          <p class="quiet">{words.text}</p>
        </div>
        <button class="primary" onClick={() => setMaking(true)}>
          {words.new}
        </button>
      </div>
      {answer.failure && <Trouble failure={answer.failure} retry={answer.retry} />}
      {answer.data && <KeysTable {...{ session, websites }} keys={answer.data.data} onChanged={update} />}
      {answer.data && answer.data.meta.last_page > 1 && <Pager {...answer.data.meta} />}
      {isMaking && (
        <NewKeyDialog {...{ session, websites }} onMade={update} onClosed={() => setMaking(false)} />
      )}
    </main>
  );
}
