import { shownDomain } from '../../../../../engine/ground/shown-domain';
import { useState } from 'preact/hooks';
import { go } from '../../../shared/address';
import { texts } from '../../../shared/texts';
import { change } from '../../client';
import { Confirm } from '../../forms/confirm';
import { ONLY } from '../../only';
import { useTask } from '../../forms/use-task';
import type { SectionProps } from './section-form';

const words = texts.console.options.removal;

export function Removal({ session, website }: SectionProps) {
  const { id } = website;
  const domain = shownDomain(website.domain);
  const [isAsking, setAsking] = useState(false);
  const task = useTask();
  const remove = () =>
    task.run(async () => {
      await change(session, 'DELETE', `websites/${id}`);
      go(ONLY);
    });
  return (
    <section class="card section removal">
      <h2>{words.button}</h2>
      <p>{words.text}</p>
      <div>
        <button class="plain danger" onClick={() => setAsking(true)}>
          {words.button}
        </button>
      </div>
      {isAsking && (
        <Confirm
          title={words.title(domain)}
          text={words.text}
          button={words.confirm(domain)}
          typed={{ label: words.type(domain), text: domain }}
          task={task}
          onConfirmed={remove}
          onClosed={() => setAsking(false)}
        />
      )}
    </section>
  );
}
