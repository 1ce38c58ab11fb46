import { DroppedEvents } from '../../../shared/dropped';
import { plusDays, todayIn } from '../../../shared/ranges';
import { texts } from '../../../shared/texts';
import { ListField, Switch } from './option-fields';
import { OwnVisits } from './own-visits';
import { SectionForm, type SectionProps } from './section-form';

const words = texts.console.options;
const SHOWN_DAYS = 28;

/** What is not counted. */
export function Exclusions(props: SectionProps) {
  const { website, places, surroundings } = props;
  const today = todayIn(surroundings.timezone);
  return (
    <>
      <SectionForm {...props} title={words.sections.exclusions} fieldsIn={fieldsIn}>
        {(task) => (
          <>
            <Switch
              name="exclude_bots"
              {...words.exclude_bots}
              isOn={website.exclude_bots === 1}
              task={task}
            />
            <div class="pair">
              <ListField name="exclude_params" website={website} task={task} />
              <ListField name="exclude_ips" website={website} task={task} />
            </div>
          </>
        )}
      </SectionForm>
      <DroppedEvents
        url={places.dropped!}
        websiteId={website.id}
        span={{ from: plusDays(today, 1 - SHOWN_DAYS), to: today }}
        title={texts.dropped.lately}
      />
      <OwnVisits domain={website.domain} />
    </>
  );
}

const fieldsIn = (form: FormData) => ({
  exclude_bots: form.has('exclude_bots') ? 1 : 0,
  exclude_params: form.get('exclude_params'),
  exclude_ips: form.get('exclude_ips'),
});
