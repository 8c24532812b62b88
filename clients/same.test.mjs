import * as aisdk from './aisdk.mjs'
import * as mastra from './mastra.mjs'
import { seesTheSame } from './same.mjs'
import * as sdk1 from './sdk1.mjs'
import * as sdk2auto from './sdk2-auto.mjs'
import * as sdk2 from './sdk2.mjs'

seesTheSame([sdk1, sdk2, sdk2auto, mastra, aisdk], ['everything', 'everything-http', 'files'])
