// The list of events.
import { Button } from '@mantine/core'
import { Link } from 'react-router'
import { ChoicesFilter, useChoices } from '../../parts/filter/choices-filter.tsx'
import { ContextFilter, useContextFilter } from '../../parts/filter/context-filter.tsx'
import { Empty } from '../../parts/empty.tsx'
import { isFiltered, useFilterValue } from '../../parts/filter/filter.ts'
import { Filters } from '../../parts/filter/filters.tsx'
import { NoMatch } from '../../parts/filter/no-match.tsx'
import { optionsOf } from '../../parts/options.ts'
import { Page } from '../../parts/page.tsx'
import { paths } from '../../parts/paths.ts'
import { eventOutcomeLabels, eventStatusLabels } from '../../parts/badge/status-badge.tsx'
import { SubscriberFilter } from '../../parts/filter/subscriber-filter.tsx'
import { TextFilter } from '../../parts/filter/text-filter.tsx'
import { TimeFilter, useTimeFilter } from '../../parts/filter/time-filter.tsx'
import { useChosenWorkflows, WorkflowFilter } from '../../parts/filter/workflow-filter.tsx'
import { EventTable } from './event-table.tsx'
import { eventReasonLabels } from './reasons.ts'

const outcomeOptions = optionsOf(eventOutcomeLabels)
const statusOptions = optionsOf(eventStatusLabels)
const reasonOptions = optionsOf(eventReasonLabels)

/** Returns the filter in the address. */
function useEventFilter() {
  const [contextKeys] = useContextFilter()
  return {
    contextKeys,
    outcomes: useChoices('outcome', outcomeOptions),
    statuses: useChoices('status', statusOptions),
    reasons: useChoices('reason', reasonOptions),
    transactionId: useFilterValue('transaction'),
    workflowIdentifiers: useChosenWorkflows(),
    subscriberId: useFilterValue('subscriber'),
    ...useTimeFilter(),
  }
}

export function Component() {
  const filter = useEventFilter()
  return (
    <Page
      title="Events"
      description="Every accepted trigger, with its recipients and its outcome."
      actions={
        <Button component={Link} to={paths.unprocessedTriggers} variant="default">
          Triggers without an event
        </Button>
      }
    >
      <Filters>
        <TextFilter label="Transaction id" name="transaction" />
        <WorkflowFilter />
        <SubscriberFilter />
        <ChoicesFilter label="Outcome" name="outcome" options={outcomeOptions} />
        <ChoicesFilter label="Status" name="status" options={statusOptions} />
        <ChoicesFilter label="Reason" name="reason" options={reasonOptions} />
        <ContextFilter />
        <TimeFilter />
      </Filters>
      <EventTable
        filter={filter}
        empty={
          isFiltered(filter) ? (
            <NoMatch title="No event matches">
              No event fits all filters. Finished events are deleted after the retention period of the environment.
            </NoMatch>
          ) : (
            <Empty
              title="No events yet"
              action={
                <Button component={Link} to={paths.workflows} variant="default">
                  Go to the workflows
                </Button>
              }
            >
              Trigger a workflow: each trigger becomes an event, whose page shows what happened for each recipient.
            </Empty>
          )
        }
      />
    </Page>
  )
}
