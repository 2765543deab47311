// `npm run operations` prints the operations of the published client into docs/moving.md. With `--check` it fails if the
// page is out of date.
import { printFiles } from '../../../src/settings/printed-files.ts'
import { withOperations } from './operations.ts'

printFiles({ 'docs/moving.md': withOperations }, 'npm run operations')
