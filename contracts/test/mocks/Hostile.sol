// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AgentWallet} from "../../src/AgentWallet.sol";

/// @dev Uses all the gas it is given.
contract GasBurner {
    fallback() external payable {
        assembly {
            invalid()
        }
    }
}

/// @dev Answers, or reverts, with as much data as its gas pays for.
contract DataBomb {
    bool private immutable REVERTS;

    constructor(bool reverts) {
        REVERTS = reverts;
    }

    fallback() external payable {
        bool reverts = REVERTS;
        assembly {
            // About 100,000 gas of memory: 3 gas a word plus words² / 512.
            switch reverts
            case 1 { revert(0, 200000) }
            default { return(0, 200000) }
        }
    }
}

/// @dev A token that calls back into the wallet while it is asked to transfer.
contract ReentrantToken {
    AgentWallet private immutable WALLET;
    bytes private _data;
    bool public answered;
    bool public succeeded;

    constructor(AgentWallet wallet) {
        WALLET = wallet;
    }

    function arm(bytes calldata data) external {
        _data = data;
    }

    function transfer(address, uint256) external returns (bool) {
        (succeeded,) = address(WALLET).call(_data);
        answered = true;
        return true;
    }
}
