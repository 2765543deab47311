// The module that pages import: it defines <notification-inbox>.
import { NotificationInbox } from './notification-inbox.ts'

// A second copy of the module on one page must not define the element again.
if (customElements.get('notification-inbox') === undefined) {
  customElements.define('notification-inbox', NotificationInbox)
}

export { NotificationInbox }
