/** Made from openapi.json by `npm run types`. */

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Agent: {
            /** Format: date-time */
            createdAt: string;
            /** @description the desk's own */
            id: string;
            /** @description as a person named it */
            name: string;
            /** @description coordinator where a person made it one */
            role: components["schemas"]["Role"] | null;
            /**
             * Format: date-time
             * @description until when its calls are declined; null: it is not stopped; RFC 3339 UTC with milliseconds; null is none
             */
            stoppedUntil: string | null;
            /** @description whom it works for: which workspaces it sees follows from that; its own id where nobody was named */
            userId: string;
        };
        ArmingOutBody: {
            /**
             * Format: int64
             * @description at high risk
             */
            highMs: number;
            /**
             * Format: int64
             * @description how long a call must be in view before a page may approve it
             */
            ms: number;
            /**
             * Format: date-time
             * @description they are longer than usual until then, after ten answers that were each given after less than a second; null: they are not
             */
            until: string | null;
        };
        AskedCall: {
            /** @enum {string} */
            client: "claude" | "codex" | "gemini" | "opencode";
            /** Format: int64 */
            count: number;
            cwd: string | null;
            /** @description what it would run, or its tool, in short */
            line: string;
            risk: components["schemas"]["Risk"];
            riskReasons: components["schemas"]["RiskReason"][];
            serverId: string | null;
            toolName: string;
        };
        Bucket: {
            /**
             * Format: int64
             * @description at once, by a rule
             */
            allowed: number;
            /**
             * Format: int64
             * @description by a person
             */
            approved: number;
            /**
             * Format: int64
             * @description that came in
             */
            calls: number;
            /**
             * Format: int64
             * @description withdrawn while they waited
             */
            cancelled: number;
            /**
             * Format: int64
             * @description by a person
             */
            declined: number;
            /**
             * Format: int64
             * @description at once, by a rule or a check
             */
            denied: number;
            /**
             * Format: int64
             * @description nobody answered in time
             */
            expired: number;
            /** Format: date-time */
            from: string;
            /**
             * Format: int64
             * @description at once, by an earlier answer of a person
             */
            granted: number;
            /**
             * Format: int64
             * @description half of the answers came within so many milliseconds, to two digits; null: there was none
             */
            medianMs: number | null;
            /**
             * Format: int64
             * @description how often a person was asked
             */
            questions: number;
            /**
             * Format: int64
             * @description answered at once as the same was before
             */
            repeated: number;
            /**
             * Format: int64
             * @description while they waited, by a rule, by the answer to another call, or with a stop or the removal of their agent
             */
            settled: number;
            /** Format: date-time */
            to: string;
            /**
             * Format: int64
             * @description of the approved and declined: answered faster than the input could be read
             */
            unread: number;
        };
        By: string;
        Call: {
            agentId: string;
            agentName: string;
            agentSubagent: string | null;
            callerGone: boolean;
            class: components["schemas"]["Class"] | null;
            covers: components["schemas"]["Covers"] | null;
            /** Format: date-time */
            createdAt: string;
            cwd: string | null;
            decision: components["schemas"]["Decision"] | null;
            description: string;
            envelopeHash: string | null;
            /**
             * Format: date-time
             * @description RFC 3339 UTC with milliseconds; null is none
             */
            expiresAt: string | null;
            handedOver: boolean;
            id: string;
            inputFixed: boolean;
            inputHash: string;
            inputWiped: boolean;
            method: string;
            onlyOnce: string;
            original: components["schemas"]["Edit"] | null;
            /**
             * Format: date-time
             * @description RFC 3339 UTC with milliseconds; null is none
             */
            patienceUntil: string | null;
            resumeData: unknown;
            resumeRequired: boolean;
            resumeSchema: unknown;
            /** Format: int64 */
            rev: number;
            risk: components["schemas"]["Risk"];
            riskReasons: components["schemas"]["RiskReason"][];
            runId: string;
            serverId: string | null;
            sessionId: string;
            /** Format: int64 */
            shownRev: number;
            status: components["schemas"]["Status"];
            summary: components["schemas"]["Summary"] | null;
            toolCallId: string;
            toolName: string;
            why: components["schemas"]["Why"];
        };
        CallBody: {
            call: components["schemas"]["Call"];
        };
        Changed: {
            /** @description what they would decide */
            after: components["schemas"]["Effect"];
            /** @description what the rules decide of it as they are */
            before: components["schemas"]["Effect"];
            /** @description the call */
            callId: string;
            /** Format: date-time */
            createdAt: string;
            /** @description a person declined it */
            declined: boolean;
            /** @description null: a tool of the agent's own */
            serverId: string | null;
            /** @description its tool */
            toolName: string;
        };
        Choice: {
            covers: components["schemas"]["Coverage"];
            /** @description of one of them: it is the one to offer first */
            first: boolean;
            past: components["schemas"]["Matches"];
        };
        Choices: {
            /** @description of each rule, in their order */
            choices: components["schemas"]["Choice"][];
            rules: components["schemas"]["SuggestedRule"][];
        };
        Class: {
            /** @description where the call runs; empty: not known, or each part says it */
            folder: string;
            method: string;
            /** @description null: the call has no line */
            parts: components["schemas"]["ClassPart"][] | null;
            serverId: string | null;
            toolName: string;
        };
        ClassPart: {
            /** @description words that say which code it runs; a yes reaches only a part with the same */
            chosen: string[];
            /** @description empty: not known */
            folder: string;
            name: string;
            /** @description null: that of the call */
            risk: components["schemas"]["Risk"] | null;
            /** @description files that it writes by redirection; a yes reaches only a part that writes no other */
            writes: string[];
        };
        Clause: {
            code: string;
            /** @description the member of the input that it is about; empty for none */
            key: string;
            /** @description of parts: what each part of the line must be, one of these; all of one hold */
            parts?: components["schemas"]["PartClause"][][];
            /** @description what it names */
            texts: string[];
        };
        ClientApp: {
            /** @description as its files have it */
            client: string;
            /**
             * Format: date-time
             * @description when its first call came in; null when none did. Calls of checks of the desk itself are none
             */
            firstAt: string | null;
            /** @description it is on the desk's machine */
            found: boolean;
            /** @description as people know it */
            name: string;
            /** @description it was at this desk since the desk was started, or a call of it is kept */
            spoken: boolean;
            /** @description what it may do today without a question to the desk, and why, by its files as they are; empty of one that was not found */
            unasked: string[];
            /** @description a file of it holds what connecting writes */
            wired: boolean;
        };
        ClientBack: {
            /** @description where copies of the file as it was stay, because they hold entries that are gone */
            copies: string[];
            /** @description what would be changed now */
            difference: components["schemas"]["ClientDifference"];
            /** @description of a file that was changed since: what becomes of each without force */
            entries: components["schemas"]["ClientReturn"][];
            error: string;
            /** @description the file is as connecting left it, and will be as it was before, byte for byte */
            exact: boolean;
            /** @description what connecting wrote was changed since, or the file is gone: it is put back only with force */
            forced: boolean;
            /** @description the file is not there any more */
            gone: boolean;
            /**
             * Format: int64
             * @description lines that were changed since outside of entries; they stay
             */
            others: number;
            /** @description empty when it cannot be put back: error says why */
            shown: string;
            /** @description what was changed in entries since connecting, without numbers of lines */
            theirs: components["schemas"]["ClientDifference"];
            /** @description error for a page that has its own words; null when it has none, or there is no error */
            why: components["schemas"]["ClientObstacle"] | null;
        };
        ClientCheck: {
            /** @description of the client, as people know it */
            name: string;
            /** @description why it is not closed */
            reasons: components["schemas"]["ClientFault"][];
            /**
             * @description closed: it asked the desk, and did not run what the desk refused; open: a tool may run without the desk; not_proved: nothing is known against it, and not all was seen
             * @enum {string}
             */
            state: "closed" | "open" | "not_proved";
        };
        ClientConnected: {
            /** @description the app asks about its own tools now, once it is started anew */
            hooks: boolean;
            /** @description entries that stay as they are, because the desk does not take their servers */
            left: components["schemas"]["ClientRefused"][];
            /**
             * Format: int64
             * @description tool servers that are behind the desk now, and were not before
             */
            moved: number;
        };
        ClientDifference: {
            /** Format: int64 */
            added: number;
            /** @description a line is longer than what is shown of it */
            cut: boolean;
            lines: components["schemas"]["DiffLine"][];
            /**
             * Format: int64
             * @description lines that are left out at the end
             */
            more: number;
            /** Format: int64 */
            removed: number;
        };
        ClientDisconnected: {
            /** @description servers that stay there, because they were changed on it */
            kept: string[];
            /** @description servers that left the desk's list */
            removed: string[];
        };
        ClientEntry: {
            /** @description the project that it is for, where the file has several; else empty */
            folder: string;
            /** @description it is no tool server: it makes the app ask about its own tools */
            hook: boolean;
            key: string;
            /** @description of a direct one: the field of the app's own limit on a call, where that is shorter than what the desk waits; else empty */
            limit: string;
            /** @description of a direct one: names of the variables that the app starts it with and the desk would not, and that it may need, the likeliest first */
            missesLikely: string[];
            /** @description of a direct one: the rest of those names */
            missesOthers: string[];
            /** @description of a direct one: it is switched off in the file, and its server would be on the desk */
            off: boolean;
            /** @description why it is left as it is, in English; else empty */
            reason: string;
            /** @description its server's id on the desk, or the one that it would get; empty when it is left */
            serverId: string;
            /** @enum {string} */
            state: "direct" | "behind" | "left";
            /** @description reason for a page that has its own words; null when it has none, or is not left */
            why: components["schemas"]["ClientObstacle"] | null;
        };
        ClientFault: {
            code: string;
            /** @description what was seen, in English or in the client's words */
            detail: string;
            /** @description of the file that says so; else empty */
            path: string;
            /** @description what a person can do, in English */
            repair: string;
        };
        ClientFile: {
            /** @description what disconnecting would do; null when the file was not connected */
            back: components["schemas"]["ClientBack"] | null;
            entries: components["schemas"]["ClientEntry"][];
            /** @description why the file cannot be used, in words; else empty */
            error: string;
            id: string;
            /** @description what connecting would do; null when nothing can be moved */
            move: components["schemas"]["ClientMove"] | null;
            /** @description of the client, as people know it */
            name: string;
            path: string;
            /**
             * @description direct: entries can be moved and none is behind the desk; partly: entries can be moved and others are behind it; behind: what can be moved is; left: none can be moved; empty: there are none; broken: the file cannot be used
             * @enum {string}
             */
            state: "direct" | "partly" | "behind" | "left" | "empty" | "broken";
        };
        ClientList: {
            /** @description every app that the desk knows, in the order in which they are shown */
            apps: components["schemas"]["ClientApp"][];
            files: components["schemas"]["ClientFile"][];
            /** @description servers that came to the desk by connecting, and that no app file known to the desk uses: they were left when the files were put back, or connecting was broken off */
            leftovers: string[];
            /** @description the name of the machine where the desk runs, whose files these are */
            machine: string;
            /** @description the path of the program that connected clients start; empty when it was not found, and then nothing can be connected */
            program: string;
        };
        ClientMove: {
            difference: components["schemas"]["ClientDifference"];
            shown: string;
        };
        ClientObstacle: {
            code: string;
            /** @description of the entry, as the file calls it */
            field: string;
            /** @description of a variable, of a header, of the app, or of the entry */
            name: string;
            /** @description as it stands in the file: a command, an argument, a variable; or the path of a copy */
            value: string;
        };
        ClientProof: {
            /** @description names of tools that it has behind the desk alone */
            added: string[];
            /** @description names of tools that are defined otherwise behind the desk */
            changed: string[];
            /** @description why it is of no use, in English or in the server's words, without secrets; else empty */
            error: string;
            key: string;
            /** @description names of tools that it has directly alone */
            missing: string[];
            /**
             * Format: double
             * @description from its start until its tools were known
             */
            seconds: number;
            serverId: string;
            /**
             * @description same: it has the same tools behind the desk; different: it has others; lost: it does not start there, and error says why
             * @enum {string}
             */
            state: "same" | "different" | "lost";
            /** Format: int64 */
            tools: number;
        };
        ClientProofs: {
            servers: components["schemas"]["ClientProof"][];
        };
        ClientRefused: {
            /** @description what is wrong with it */
            code: components["schemas"]["FieldCode"];
            /** @description of the server, which is wrong */
            field: string;
            key: string;
            params: components["schemas"]["Params"];
            /** @description the same in English */
            reason: string;
        };
        ClientReturn: {
            key: string;
            /**
             * @description back: it is put back; gone: it was taken out since and stays out; conflict: what connecting wrote was changed
             * @enum {string}
             */
            outcome: "back" | "gone" | "conflict";
            /** @description of a conflict, in English; else empty */
            reason: string;
            /** @description reason for a page that has its own words; null when it has none, or there is no conflict */
            why: components["schemas"]["ClientObstacle"] | null;
        };
        ClientTrial: {
            /** @description why it is of no use, in English or in the server's words, without secrets; else empty */
            error: string;
            key: string;
            /**
             * Format: double
             * @description from its start until its tools were known
             */
            seconds: number;
            serverId: string;
            /** Format: int64 */
            tools: number;
        };
        ClientTrials: {
            servers: components["schemas"]["ClientTrial"][];
        };
        CommandLook: {
            argv: boolean;
            cwd: string;
            deskPath: boolean;
            error: string;
            lines: components["schemas"]["CommandPiece"][][];
            /** Format: int64 */
            more: number;
            parsed: boolean;
            parts: components["schemas"]["CommandPart"][];
            programs: components["schemas"]["Program"][];
            text: string;
        };
        CommandPart: {
            effects: components["schemas"]["PartEffect"][];
            /** @description program and verb; empty: the shell itself, or a program that is not in the text */
            name: string;
            /** @description files that it writes by redirection; empty: one that is not in the text */
            writes: string[];
        };
        CommandPiece: {
            kind: components["schemas"]["PieceKind"];
            text: string;
        };
        Confinement: {
            /** @description full: files, processes, network and sockets; files: files, and of the rest not all; none */
            level: components["schemas"]["ConfinementLevel"];
            /** @description what this machine does not have of it */
            missing: string[];
            /** @description each listed program as it was tried; empty while that goes on */
            programs: components["schemas"]["ProgramState"][];
            /** @description why nothing is known, or empty */
            trouble: string;
        };
        /** @enum {string} */
        ConfinementLevel: "full" | "files" | "none";
        Conversation: {
            /** Format: date-time */
            createdAt: string;
            id: string;
            /** @description who said the last message */
            lastFrom: string;
            /**
             * Format: int64
             * @description the conversation ends with this many messages
             */
            maxTurns: number;
            /** @description who began it first */
            participants: string[];
            projectId: string;
            state: components["schemas"]["ConversationState"];
            /**
             * Format: int64
             * @description messages so far
             */
            turns: number;
            /** Format: date-time */
            updatedAt: string;
        };
        ConversationOutBody: {
            conversation: components["schemas"]["Conversation"];
            messages: components["schemas"]["Message"][];
        };
        ConversationState: string;
        ConversationsOutBody: {
            conversations: components["schemas"]["Conversation"][];
        };
        Coordination: {
            on: boolean;
            /** @description a server of yours has the id coordination: it stands in the way */
            taken: boolean;
        };
        Coverage: {
            code: string;
            params: components["schemas"]["CoverageParams"];
            text: string;
        };
        CoverageParams: {
            /** @description empty: not known, or each part says it */
            folder: string;
            /** @description with their ports */
            hosts: string[];
            /**
             * @description nothing of a higher risk is reached
             * @enum {unknown}
             */
            maxRisk: components["schemas"]["Risk"];
            parts: components["schemas"]["ClassPart"][];
            /** @description the one file that is meant */
            path: string;
            serverId: string | null;
            /** @description empty for all of a server */
            toolName: string;
        };
        Covers: {
            class: components["schemas"]["Coverage"] | null;
            session: components["schemas"]["Coverage"] | null;
        };
        CreateAgentOutBody: {
            agent: components["schemas"]["Agent"];
            token: string;
        };
        Deadlines: {
            /** Format: double */
            high: number | null;
            /** Format: double */
            low: number | null;
            /** Format: double */
            medium: number | null;
        };
        DecideOutBody: {
            call: components["schemas"]["Call"];
            repeated: boolean;
            /** @description other calls that this answer settled */
            settled: string[];
        };
        Decision: {
            approved: boolean;
            by: components["schemas"]["By"];
            /** @description the reason for a program; null: the reason is in a person's own words */
            code: components["schemas"]["ReasonCode"] | null;
            /** Format: int64 */
            count: number;
            /** Format: date-time */
            decidedAt: string;
            grantId: string | null;
            params: components["schemas"]["Params"];
            reason: string;
            /** @description the declined call whose answer was given again */
            remembered: string | null;
            ruleId: string | null;
            scope: components["schemas"]["Scope"];
        };
        DeclinedTool: {
            agentId: string;
            /** Format: int64 */
            count: number;
            method: string;
            serverId: string | null;
            sessionId: string;
            toolName: string;
        };
        DiffLine: {
            /** Format: int64 */
            count: number;
            ending: components["schemas"]["Ending"];
            kind: components["schemas"]["LineKind"];
            /** Format: int64 */
            new: number;
            /** Format: int64 */
            old: number;
            text: string;
        };
        DiffOutBody: {
            diff: components["schemas"]["RuleDiff"];
        };
        Difference: {
            /** @description names exactly these two versions */
            id: string;
            journal: {
                [key: string]: unknown;
            } | null;
            /** @description its id; of a tool its server's, a slash and its name; of the journal the number of an entry, or name */
            key: string;
            /**
             * @description what it is one of
             * @enum {string}
             */
            set: "rules" | "grants" | "settings" | "servers" | "agents" | "tools" | "journal";
            table: {
                [key: string]: unknown;
            } | null;
        };
        DifferencesOutBody: {
            differences: components["schemas"]["Difference"][];
        };
        Earlier: {
            before: string;
            cut: boolean;
            key: string;
        };
        Edit: {
            inputHash: string;
        };
        /** @enum {string} */
        Effect: "allow" | "ask" | "deny";
        /** @enum {string} */
        Ending: "crlf" | "none" | "";
        Example: {
            /** @description who asks */
            agentId?: string;
            /** @description who asks */
            agentName?: string;
            /** @description the kind of its helper; null is the agent itself */
            agentSubagent?: string;
            /** @description the call's folder */
            cwd?: string;
            /** @description what the rules must decide */
            decision: components["schemas"]["Effect"];
            /** @description JSON text */
            input?: string;
            /** @description tools/call where it is left out */
            method?: string;
            /** @description null is none */
            serverId: string | null;
            /** @description the call's session */
            sessionId?: string;
            /** @description the call's tool */
            toolName: string;
        };
        /** @enum {string} */
        Execution: "desk" | "client";
        FieldCode: string;
        FileLook: {
            /** Format: int64 */
            added: number;
            code: string;
            lines: components["schemas"]["DiffLine"][];
            /** Format: int64 */
            more: number;
            path: string;
            reason: string;
            /** Format: int64 */
            removed: number;
            resolved: string;
            /** Format: int64 */
            size: number;
            state: components["schemas"]["FileState"];
            version: string;
        };
        /** @enum {string} */
        FileState: "new" | "changed" | "same" | "binary" | "too_large" | "not_a_file" | "unreadable" | "unclear";
        Finding: {
            /** @description the other rule that it is about; null where there is none, or not one alone */
            by: string | null;
            /** @description the same in detail */
            code: components["schemas"]["FindingCode"];
            /** @description what is odd */
            kind: components["schemas"]["FindingKind"];
            /** @description in English */
            message: string;
            /** @description of the code */
            params: components["schemas"]["Params"];
            /** @description the rule that it is about, or its place where it has no id */
            ruleId: string;
        };
        FindingCode: string;
        FindingKind: string;
        FindingsOutBody: {
            findings: components["schemas"]["Finding"][];
        };
        FlaggedTool: {
            flags: components["schemas"]["TextFlag"][];
            toolName: string;
        };
        Grant: {
            agentId: string;
            agentName: string;
            approved: boolean;
            callId: string;
            covers: components["schemas"]["Coverage"];
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: date-time
             * @description RFC 3339 UTC with milliseconds; null is none
             */
            expiresAt: string | null;
            /** Format: int64 */
            hits: number;
            id: string;
            reason: string;
            scope: components["schemas"]["Scope"];
            sessionId: string;
        };
        GrantsOutBody: {
            grants: components["schemas"]["Grant"][];
        };
        HealthOutBody: {
            ok: boolean;
            /** @description who decides: the window of this desk, which takes no credential, or whoever has the operator's token, or their key */
            operator: string;
            trouble: string;
            version: string;
        };
        HistoryState: {
            /** Format: int64 */
            bytes: number;
            /** Format: int64 */
            calls: number;
            /** Format: int64 */
            files: number;
            result: components["schemas"]["Result"] | null;
            /**
             * @description none: nothing is read or known
             * @enum {string}
             */
            state: "none" | "reading" | "done";
        };
        Hooks: {
            unanswered: string;
        };
        InputPlace: {
            /** Format: int64 */
            end: number;
            pointer: string;
            /** Format: int64 */
            start: number;
        };
        LastLook: {
            added: string[];
            callId: string;
            changed: components["schemas"]["Earlier"][];
            cwd: string | null;
            /** Format: date-time */
            decidedAt: string;
            removed: components["schemas"]["Earlier"][];
            same: boolean;
        };
        Limit: {
            /** Format: int64 */
            calls: number;
            /** Format: int64 */
            seconds: number;
        };
        Limits: {
            /** Format: int64 */
            inputMembers: number;
            /** Format: int64 */
            pendingPerAgent: number;
        };
        /** @enum {string} */
        LineKind: "same" | "added" | "removed" | "gap";
        ListAgentsOutBody: {
            agents: components["schemas"]["Agent"][];
        };
        ListCallsOutBody: {
            calls: components["schemas"]["Call"][];
            /** @description for a person who lists what waits: tools that were declined three times or more within ten minutes in a session, without a yes since. Their calls are best shown together */
            declined: components["schemas"]["DeclinedTool"][];
            /** @description the desk's run: rev counts within one of it */
            desk: string;
            /** Format: int64 */
            next: number | null;
            /** Format: date-time */
            now: string;
            /** Format: int64 */
            rev: number;
        };
        ListEntry: {
            /**
             * Format: int64
             * @description calls of the past that the rule would have decided
             */
            calls: number;
            /** @enum {string} */
            client: "claude" | "codex" | "gemini" | "opencode";
            effect: components["schemas"]["Effect"];
            files: string[];
            rule: components["schemas"]["SuggestedRule"] | null;
            text: string;
            unsafe: components["schemas"]["Unsafe"][];
        };
        LoginOutBody: {
            token: string;
        };
        Look: {
            command: components["schemas"]["CommandLook"] | null;
            file: components["schemas"]["FileLook"] | null;
            /** @description deceiving characters in what the call's tool says of itself */
            flags: components["schemas"]["TextFlag"][];
            last: components["schemas"]["LastLook"] | null;
            summary: components["schemas"]["Summary"] | null;
            workspace?: components["schemas"]["WorkspaceLook"];
        };
        LookOutBody: {
            away: components["schemas"]["Stretch"] | null;
        };
        MadeSession: {
            passkey: string;
            session: components["schemas"]["Session"];
        };
        Matches: {
            /**
             * Format: int64
             * @description unasked, or by an earlier answer
             */
            allowed: number;
            /**
             * Format: int64
             * @description by a person
             */
            approved: number;
            /** Format: int64 */
            calls: number;
            /**
             * Format: int64
             * @description by a person
             */
            declined: number;
            /**
             * Format: date-time
             * @description when the first of them was made; null where there are none
             */
            first: string | null;
            /**
             * @description the highest risk among them; low where there are none
             * @enum {unknown}
             */
            maxRisk: components["schemas"]["Risk"];
            /**
             * Format: int64
             * @description denied, expired, cancelled, or still open
             */
            other: number;
        };
        Message: {
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: date-time
             * @description when its receiver was given it; null: not yet
             */
            deliveredAt: string | null;
            from: string;
            id: string;
            text: string;
            to: string;
        };
        Narrower: {
            /** @description yes: nothing new is allowed; no: example is; undecided: that is not known */
            answer: components["schemas"]["ReachAnswer"];
            /** @description a call that is newly allowed, made up; null: the answer is not no */
            example: components["schemas"]["Example"] | null;
            /** @description of a condition, that could not be told; or empty */
            part: string;
            /** @description the allow rule that it is about; null: none, or the settings for reading */
            ruleId: string | null;
        };
        Params: {
            [key: string]: string | number;
        };
        PartClause: {
            code: string;
            /** @description the member of the part, or of the input for not_alone; empty for none */
            key: string;
            /** @description what it names; of folders, an empty one is that of the call */
            texts: string[];
        };
        PartEffect: string;
        PartVerdict: {
            /** @description what the rules say of it */
            decision: components["schemas"]["Effect"];
            /** @description its program and verb; empty where the shell computes them */
            name: string;
            /** @description the rule that decides about it; null: none applies, or it needs none */
            rule: components["schemas"]["RuleRef"] | null;
        };
        PauseOutBody: {
            /**
             * Format: date-time
             * @description null: no break is taken
             */
            until: string | null;
        };
        /** @enum {string} */
        PieceKind: "program" | "option" | "path" | "word" | "string" | "redirect" | "operator" | "substitution" | "assignment" | "comment" | "keyword" | "blank";
        Preview: {
            /** @description the newest past calls that would be decided otherwise, newest first */
            changed: components["schemas"]["Changed"][];
            /**
             * Format: int64
             * @description all of them
             */
            changedTotal: number;
            /** @description of these, how many go from one effect to another, as ask>allow */
            counts: {
                [key: string]: number;
            };
            /**
             * Format: int64
             * @description of these, how many a person had declined
             */
            declined: number;
            /**
             * Format: int64
             * @description past calls that the first rule of an edit applies to by itself
             */
            matched: number;
            /**
             * Format: int64
             * @description of these, how many a person had declined
             */
            matchedDeclined: number;
            /** @description whether the rules would allow nothing that they did not allow before */
            narrower: components["schemas"]["Narrower"];
            /**
             * Format: int64
             * @description past calls that were judged
             */
            total: number;
            /**
             * Format: int64
             * @description past calls that were not, since a condition would have to see an input that was wiped
             */
            unjudged: number;
        };
        Program: {
            path: string | null;
            word: string;
        };
        ProgramState: {
            /** @description it is in none of the folders where programs are looked for */
            missing: boolean;
            name: string;
            /** @description why it does not work, or empty */
            trouble: string;
        };
        ProgramSummary: {
            effects: components["schemas"]["PartEffect"][];
            program: string;
        };
        Project: {
            /** Format: date-time */
            createdAt: string;
            id: string;
            members: {
                [key: string]: components["schemas"]["Role"];
            };
            /** Format: date-time */
            updatedAt: string;
        };
        ProjectsOutBody: {
            projects: components["schemas"]["Project"][];
        };
        ProposedRule: {
            /**
             * Format: int64
             * @description calls that would have asked, and that it would have allowed
             */
            calls: number;
            covers: components["schemas"]["Coverage"];
            /** @description a few of these, as their lines or their tools */
            examples: string[];
            rule: components["schemas"]["SuggestedRule"];
        };
        Purpose: string;
        Reach: {
            /** @description yes: a rule may; no: none, whatever the input; undecided: none is known, and that there is none is not proved */
            answer: components["schemas"]["ReachAnswer"];
            /** @description allow rules, those that may first; at most 200 */
            rules: components["schemas"]["ReachRule"][];
            /**
             * Format: int64
             * @description all allow rules
             */
            total: number;
        };
        /** @enum {string} */
        ReachAnswer: "yes" | "no" | "undecided";
        ReachCode: string;
        ReachRule: {
            /** @description whether it may ever allow such a call */
            answer: components["schemas"]["ReachAnswer"];
            /** @description the rule that the code is about, where it is another or its condition; null: none */
            by: string | null;
            /** @description why */
            code: components["schemas"]["ReachCode"];
            /** @description a call that the rules allow by this rule, made up; null: the answer is not yes */
            example: components["schemas"]["Example"] | null;
            /** @description in English */
            message: string;
            /** @description of the code */
            params: components["schemas"]["Params"];
            /** @description the allow rule */
            ruleId: string;
        };
        Reads: {
            prompts: components["schemas"]["Effect"];
            resources: components["schemas"]["Effect"];
        };
        ReasonCode: string;
        ReleaseOutBody: {
            /**
             * Format: int64
             * @description how many calls were approved
             */
            released: number;
        };
        Report: {
            buckets: components["schemas"]["Bucket"][];
            /** @description what of the range shows that questions tire */
            fatigue: components["schemas"]["Sign"][];
            /**
             * Format: int64
             * @description calls whose outcome nobody knows, now
             */
            inDoubt: number;
            /** @description that allowed calls, the one of most calls first */
            rules: components["schemas"]["RuleCount"][];
            /**
             * Format: date-time
             * @description when the oldest count is of; null: nothing was counted yet
             */
            since: string | null;
            total: components["schemas"]["Bucket"];
        };
        Result: {
            /**
             * Format: int64
             * @description calls that would have asked
             */
            asked: number;
            /** @description calls that would have asked, equal ones once, those of high risk first; at most 200 */
            asking: components["schemas"]["AskedCall"][];
            /** Format: int64 */
            calls: number;
            /**
             * Format: int64
             * @description calls that were declined where they were asked for
             */
            declined: number;
            /**
             * Format: int64
             * @description how many different calls would have asked
             */
            different: number;
            /**
             * Format: date-time
             * @description RFC 3339 UTC with milliseconds; null is none
             */
            first: string | null;
            /** @description there was more than is held at once: rules were proposed from the calls that were read first */
            full: boolean;
            /**
             * Format: int64
             * @description calls of high risk among those that would have asked
             */
            high: number;
            /**
             * Format: date-time
             * @description RFC 3339 UTC with milliseconds; null is none
             */
            last: string | null;
            /**
             * Format: int64
             * @description calls that would have asked and that none of these rules would have answered alone
             */
            left: number;
            /** @description what the programs' own permission lists say */
            lists: components["schemas"]["ListEntry"][];
            /** @description rules that would have answered calls of the past, those first that answer most */
            rules: components["schemas"]["ProposedRule"][];
            /** @description what could not be read, with the first place of each kind */
            unread: components["schemas"]["Unread"][];
        };
        Retention: {
            /** Format: int64 */
            inputDays: number;
            /** Format: int64 */
            journalDays: number;
            /** Format: int64 */
            journalMegabytes: number;
        };
        /** @enum {string} */
        Risk: "low" | "medium" | "high";
        RiskCode: string;
        RiskReason: {
            at: components["schemas"]["InputPlace"] | null;
            code: components["schemas"]["RiskCode"];
            params: components["schemas"]["Params"];
            text: string;
        };
        Role: string;
        Rule: {
            /** @description CEL over input, envelope, serverId, method, toolName, sessionId, session (role, purpose, projectId), agent and cwd that must be true too; null is none */
            condition: string | null;
            /** Format: date-time */
            createdAt: string;
            /** @description what becomes of the calls that it decides */
            effect: components["schemas"]["Effect"];
            /** @description false: it is passed over */
            enabled: boolean;
            /** @description calls, and what all rules together must decide of them */
            examples: components["schemas"]["Example"][];
            /**
             * Format: date-time
             * @description when it ends and is passed over; RFC 3339 UTC with milliseconds; null is none
             */
            expiresAt: string | null;
            /**
             * Format: int64
             * @description calls that it decided so far; they do not touch updatedAt
             */
            hits: number;
            /** @description letters, digits, dots, dashes and underscores, at most 64 */
            id: string;
            /**
             * Format: date-time
             * @description when it did so last; RFC 3339 UTC with milliseconds; null is none
             */
            lastHitAt: string | null;
            /** @description of an allow rule: how many calls it allows in a sliding window, over all agents; beyond it the rule does not apply; null is none */
            limit: components["schemas"]["Limit"] | null;
            /** @description what of MCP it is about; null is tools/call, resources/read, resources/subscribe and prompts/get in a deny rule, and tools/call alone in an ask or allow rule */
            method: string | null;
            /** @description a person's words; the reason of a deny */
            note: string;
            /**
             * Format: int64
             * @description higher goes first; of one priority deny, then ask, then allow, then the older
             */
            priority: number;
            /** @description the server that it is about; null is any, and a call without one */
            serverId: string | null;
            /** @description the tool that it is about, byte for byte, or the URI or the prompt; null is any */
            toolName: string | null;
            /** @description of the whole tool name, whatever its letter case: * is any run of characters; null is any; not looked at when toolName is set */
            toolPattern: string | null;
            /** Format: date-time */
            updatedAt: string;
        };
        RuleCount: {
            /** Format: int64 */
            calls: number;
            /** @description empty: the rule is not known any more */
            ruleId: string;
        };
        RuleDiff: {
            /** @description rules that are new, as they are stored */
            added: components["schemas"]["Rule"][];
            /** @description ids to accept: new allow rules, allow rules that may reach further, and guards whose end may let something pass */
            allows: string[];
            /** @description rules that change */
            changed: components["schemas"]["RulePair"][];
            /** @description whether the rules after the import allow nothing that they did not allow before */
            narrower: components["schemas"]["Narrower"];
            /**
             * Format: int64
             * @description of the rules before a diff, or after an import
             */
            policyVersion: number;
            /** @description rules that go */
            removed: components["schemas"]["Rule"][];
            /**
             * Format: int64
             * @description rules that stay as they are
             */
            same: number;
        };
        RuleOutBody: {
            /**
             * Format: int64
             * @description calls waiting that the rule decides, those that an edit of it settled included
             */
            pendingMatches: number;
            rule: components["schemas"]["Rule"];
        };
        RulePair: {
            /** @description as it is stored after the import */
            after: components["schemas"]["Rule"];
            /** @description as it is */
            before: components["schemas"]["Rule"];
        };
        RuleRef: {
            /** @description the rule */
            id: string;
            /**
             * Format: int64
             * @description its priority when it decided
             */
            priority: number;
        };
        RulesBody: {
            /** Format: int64 */
            policyVersion: number;
            rules: components["schemas"]["Rule"][];
        };
        /** @enum {string} */
        Scope: "once" | "class" | "session" | "mode";
        SecretsNotice: {
            trouble: string;
            where: string;
        };
        ServerShown: {
            args: string[];
            /** @description tools that changed since they were allowed: they ask until the change is accepted */
            changedTools: string[];
            command: string;
            /** @description of a workspace whose tools the desk runs: how far its commands are confined, and which programs work */
            confinement?: components["schemas"]["Confinement"];
            cwd: string;
            enabled: boolean;
            /** @description of a stdio server: what it starts ends with it, in whatever session it is; false where the system only lets the desk end its process group. null of an http server */
            endsChildren: boolean | null;
            env: {
                [key: string]: string;
            };
            /** @description of a workspace: who runs its tools */
            execution?: components["schemas"]["Execution"];
            /** @description tools in whose names, titles, descriptions or schemas characters hide or pass for others; at most 100 */
            flaggedTools: components["schemas"]["FlaggedTool"][];
            headers: {
                [key: string]: string;
            };
            id: string;
            /** @description of a workspace: where programs are looked for beside the system's own folders */
            programFolders?: string[];
            /** @description another one when how it is started or reached is, what is masked included */
            revision: string;
            /** @description of an http server */
            signIn: components["schemas"]["SignIn"];
            state: components["schemas"]["ServerState"];
            /** @description risks that persons gave tools */
            toolLevels: components["schemas"]["ToolLevel"][];
            /** @description who may use which tool at all; null: nothing is checked */
            toolPermissions: {
                [key: string]: components["schemas"]["ToolPermission"];
            } | null;
            tools: string[];
            transport: components["schemas"]["ServerTransport"];
            /** @description why it cannot be started or reached as it is kept, or empty: a secret value of it is not at hand */
            trouble: string;
            url: string;
            /** @description of a workspace: whose agents see it; none named: all */
            users?: string[];
        };
        ServerState: string;
        /** @enum {string} */
        ServerTransport: "stdio" | "http" | "builtin" | "workspace";
        ServersOutBody: {
            /** @description names of the desk's own variables that a stdio server gets, beside those of its env */
            inherited: string[];
            /** @description where the values of env and headers are kept */
            secrets: components["schemas"]["SecretsNotice"];
            servers: components["schemas"]["ServerShown"][];
            /** @description another one when any server is, or their order */
            version: string;
        };
        Session: {
            /** @description whose it is; two agents may use one id */
            agentId: string;
            /** @description the agent's name at its last call */
            agentName: string;
            /** @description as it named itself when it connected; null where it is not connected */
            client: string | null;
            /** Format: date-time */
            createdAt: string;
            /** @description the folder of its last call that has one; null is none */
            cwd: string | null;
            /**
             * Format: date-time
             * @description when its token is void; null where the desk did not make the session, and until the agent has changed its passkey for the token; RFC 3339 UTC with milliseconds; null is none
             */
            expiresAt: string | null;
            /** @description as its calls have it */
            id: string;
            /**
             * Format: date-time
             * @description when it was last in use; RFC 3339 UTC with milliseconds; null is none
             */
            lastSeenAt: string | null;
            /**
             * Format: int64
             * @description how many of its calls wait for a person
             */
            pending: number;
            /** @description null where the desk did not make the session */
            projectId: string | null;
            /** @description null where the desk did not make the session */
            purpose: components["schemas"]["Purpose"] | null;
            /** @description null where the desk did not make the session */
            role: components["schemas"]["Role"] | null;
            /** @description what it is at */
            state: components["schemas"]["SessionState"];
        };
        SessionState: string;
        SessionsOutBody: {
            sessions: components["schemas"]["Session"][];
        };
        Settings: {
            brake: components["schemas"]["Limit"] | null;
            deadlines: components["schemas"]["Deadlines"];
            denialMemory: boolean;
            hold: boolean;
            hooks: components["schemas"]["Hooks"];
            language: string;
            limits: components["schemas"]["Limits"];
            patience: {
                [key: string]: number;
            };
            reads: components["schemas"]["Reads"];
            retention: components["schemas"]["Retention"];
            /** Format: int64 */
            undoSeconds: number;
            window: components["schemas"]["WindowSettings"];
        };
        ShownTool: {
            back: boolean;
            definition: string;
            launch: string;
        };
        Sign: string;
        SignIn: {
            client: components["schemas"]["SignInClient"] | null;
            error: string;
            issuer: string;
            state: components["schemas"]["SignInState"];
            /**
             * Format: uri
             * @description to open in a browser; empty where it is none of the web
             */
            url: string;
            wants: string[];
        };
        SignInClient: {
            /** Format: int64 */
            callbackPort: number;
            id: string;
            scopes: string[];
            secret: string;
        };
        SignInOutBody: {
            signIn: components["schemas"]["SignIn"];
        };
        /** @enum {string} */
        SignInState: "none" | "waiting" | "signedIn" | "failed" | "expired";
        /** @enum {string} */
        Status: "pending" | "approved" | "claimed" | "in_doubt" | "completed" | "failed" | "denied" | "declined" | "expired" | "cancelled" | "revoked";
        Stretch: {
            /** Format: date-time */
            from: string;
            /** Format: date-time */
            to: string;
        };
        SuggestedRule: {
            condition: string | null;
            effect: components["schemas"]["Effect"];
            enabled: boolean;
            method: string | null;
            note: string;
            /** Format: int64 */
            priority: number;
            serverId: string | null;
            toolName: string | null;
            toolPattern: string | null;
        };
        Suggestion: {
            /** Format: int64 */
            answers: number;
            covers: components["schemas"]["Coverage"];
            past: components["schemas"]["Matches"];
            rule: components["schemas"]["SuggestedRule"];
        };
        SuggestionsOutBody: {
            suggestions: components["schemas"]["Suggestion"][];
        };
        Summary: {
            code: components["schemas"]["SummaryCode"];
            params: components["schemas"]["Params"];
            programs: components["schemas"]["ProgramSummary"][];
            rest: components["schemas"]["PartEffect"][];
            text: string;
        };
        SummaryCode: string;
        Task: {
            /** @description the agent that is to do it; null: nobody yet */
            assigneeId: string | null;
            /** Format: date-time */
            createdAt: string;
            /** @description the agent that made it; null: a person */
            createdBy: string | null;
            description: string;
            id: string;
            projectId: string;
            /** @description how it ended; null: it has not */
            result: components["schemas"]["TaskResult"] | null;
            /** @description that works on it, or did; empty: none */
            sessionId: string;
            state: components["schemas"]["TaskState"];
            /** @description what was said at its end */
            summary: string;
            title: string;
            /** Format: date-time */
            updatedAt: string;
        };
        TaskResult: string;
        TaskState: string;
        TasksOutBody: {
            tasks: components["schemas"]["Task"][];
        };
        TestServerOutBody: {
            /** @description why it is not ok, in words; else empty */
            error: string;
            /** @description tools in whose names, titles, descriptions or schemas characters hide or pass for others; at most 100 */
            flaggedTools: components["schemas"]["FlaggedTool"][];
            ok: boolean;
            stderr: string;
            /** @description names, at most 1,000 */
            tools: string[];
        };
        TextFlag: {
            /** @description a JSON Pointer into the tool's definition; of a member's name, to the member */
            at: string;
            /** @description each once, as U+200B; at most 8 */
            characters: string[];
            /** Format: int64 */
            count: number;
            kind: components["schemas"]["TextKind"];
            /** @description of the tool's name, what it looks like to a reader of ASCII; else empty */
            looksLike: string;
        };
        /** @enum {string} */
        TextKind: "tags" | "direction" | "hidden" | "lookAlike";
        TextLook: {
            /** Format: int64 */
            added: number;
            after: string;
            before: string;
            cut: boolean;
            lines: components["schemas"]["DiffLine"][];
            /** Format: int64 */
            more: number;
            /** Format: int64 */
            removed: number;
        };
        /** @enum {string} */
        ToolChange: "definition" | "launch" | "both" | "unknown" | "";
        ToolLevel: {
            /** Format: date-time */
            at: string;
            risk: components["schemas"]["Risk"];
            toolName: string;
            /** @description the tool's definition changed since: the level counts no more */
            void: boolean;
        };
        ToolLook: {
            back: boolean;
            changed: components["schemas"]["ToolChange"];
            definition: components["schemas"]["TextLook"] | null;
            launch: components["schemas"]["TextLook"] | null;
            serverId: string;
            shown: components["schemas"]["ShownTool"];
            toolName: string;
        };
        ToolOutBody: {
            tool: components["schemas"]["ToolLook"];
        };
        ToolPermission: string;
        TraceCode: string;
        TraceStep: {
            /** @description it applies to the call; the first that does decides */
            applies: boolean;
            /** @description why it applies or not */
            code: components["schemas"]["TraceCode"];
            /** @description of the code */
            params: components["schemas"]["Params"];
            /**
             * Format: int64
             * @description the number of the part of the line, from 0; null is the call, or its whole line
             */
            part: number | null;
            /** @description the rule */
            ruleId: string;
            /** @description the same in English */
            why: string;
        };
        Unread: {
            /** Format: int64 */
            count: number;
            first: string;
            kind: string;
        };
        Unsafe: {
            code: string;
            params: components["schemas"]["Params"];
            text: string;
        };
        Verdict: {
            /** @description why, for a program; the reason for a program; null: the reason is in a person's own words */
            code: components["schemas"]["ReasonCode"] | null;
            /** @description what would happen */
            decision: components["schemas"]["Effect"];
            /** @description of the code */
            params: components["schemas"]["Params"];
            /** @description the parts of the call's line, in order, as the rules judge them; none: the call has no line */
            parts: components["schemas"]["PartVerdict"][];
            /** @description why, in English */
            reason: string;
            /** @description how careful to be */
            risk: components["schemas"]["Risk"];
            /** @description why the risk is above low */
            riskReasons: components["schemas"]["RiskReason"][];
            /** @description the rule that decides; null: none applies, or something else stands against it */
            rule: components["schemas"]["RuleRef"] | null;
            /** @description every rule in the order of judgement; one about the call of a line has a row for the whole line and one for each part */
            trace: components["schemas"]["TraceStep"][];
        };
        Why: {
            changed?: components["schemas"]["ToolChange"];
            /** @description the reason for a program; null: the reason is in a person's own words */
            code: components["schemas"]["ReasonCode"] | null;
            notChecked?: string[];
            params: components["schemas"]["Params"];
            parts?: components["schemas"]["PartVerdict"][];
            reason: string;
            rule: components["schemas"]["RuleRef"] | null;
            withheld?: boolean;
        };
        WindowSettings: {
            autostart: boolean;
            closeToTray: boolean;
            popUp: boolean;
            quiet: boolean;
            sound: boolean;
            startHidden: boolean;
        };
        Wording: {
            /** @description it cannot be said in clauses */
            advanced: boolean;
            /** @description empty where the condition is advanced */
            clauses: components["schemas"]["Clause"][];
            condition: string;
        };
        WordingsOutBody: {
            /** @description in the order of asked */
            wordings: components["schemas"]["Wording"][];
        };
        WorkspaceLook: {
            /** @description how far the command is confined; left out where nothing is started */
            confinement?: components["schemas"]["ConfinementLevel"];
            execution: components["schemas"]["Execution"];
            /** @description of a workspace that a client executes: a text for people */
            folder: string;
            /** @description what this machine lacks for full confinement */
            missing: string[];
            /** @description it is started with a network */
            network: boolean;
            /** @description that is started, or empty */
            program: string;
            /** @description its command, as git has them, or empty */
            verb: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
