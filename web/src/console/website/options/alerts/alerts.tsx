import { remove, store } from '../../../../goals/definitions';
import { Explained } from '../../../../goals/explained';
import { linkTo } from '../../../../shared/address';
import { Trouble } from '../../../../shared/notices';
import { todayIn } from '../../../../shared/ranges';
import { texts } from '../../../../shared/texts';
import { RemovalDialog } from '../../../forms/removal-dialog';
import { ONLY } from '../../../only';
import type { SectionProps } from '../section-form';
import { useDefinitions } from '../use-definitions';
import { AlertDialog } from './alert-dialog';
import { AlertList } from './alert-list';
import './alerts.css';
import { exampleAlert } from './drafts';
import { words } from './words';

interface Props extends SectionProps {
  /** Tells whether the service can send mails. */
  hasMail: boolean;
}

/** The alerts of a website, to create, change and delete, and when they fired. */
export function Alerts({ hasMail, ...props }: Props) {
  const { session, surroundings, places, mayChange } = props;
  const { own, list, failure, retry, opened, setOpened, dialog } = useDefinitions(props, 'alerts');
  const storeExample = async () => {
    await store(own, 'alerts', exampleAlert());
    dialog.onSaved();
  };
  const onCreating = () => setOpened({ act: 'edit', one: undefined });
  return (
    <section class="card section alerts" aria-labelledby="alerts-title">
      <h2 id="alerts-title">{words.title}</h2>
      {failure && <Trouble failure={failure} retry={retry} />}
      {list?.length === 0 && (
        <Explained
          text={words.none}
          mayChange={mayChange}
          create={words.create}
          example={words.example}
          onCreating={onCreating}
          storeExample={storeExample}
        />
      )}
      {list && list.length > 0 && (
        <AlertList alerts={list} own={own} timezone={surroundings.timezone} onOpened={setOpened} />
      )}
      {list && <Ways {...{ hasMail }} mayUseWebhooks={mayChange && !session.key.websites} />}
      {opened?.act === 'edit' && (
        <AlertDialog {...dialog} {...{ places }} today={todayIn(surroundings.timezone)} alert={opened.one} />
      )}
      {opened?.act === 'remove' && (
        <RemovalDialog
          words={words.removal}
          name={opened.one.name}
          deleted={words.deleted}
          remove={() => remove(own, 'alerts', opened.one.id)}
          onRemoved={dialog.onSaved}
          onClosed={dialog.onClosed}
        />
      )}
    </section>
  );
}

/** How alerts reach somebody. */
function Ways({ hasMail, mayUseWebhooks }: { hasMail: boolean; mayUseWebhooks: boolean }) {
  return (
    <>
      {!hasMail && <p class="unavailable">{words.noMail}</p>}
      {mayUseWebhooks && (
        <p>
          <a {...linkTo({ ...ONLY, view: 'webhooks' })}>{texts.console.webhooks.title}</a>
        </p>
      )}
    </>
  );
}
