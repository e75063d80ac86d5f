// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AgentWallet} from "../../src/AgentWallet.sol";

/// @dev Consumes all the gas of a call.
contract GasBurner {
    fallback() external payable {
        assembly {
            invalid()
        }
    }
}

/// @dev Returns, or reverts with, as much data as its gas pays for.
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

/// @dev Records how much gas it receives.
contract GasRecorder {
    uint256 public received;

    fallback() external {
        received = gasleft();
    }
}

/// @dev Records the call that it receives.
contract CallRecorder {
    bytes32 public dataHash;

    fallback() external {
        dataHash = keccak256(msg.data);
    }
}

/// @dev Confirms every ERC-1271 signature, but only to `ASKER`. A 32-byte answer whose last bit is not zero is none.
contract Erc1271Signer {
    address private immutable ASKER;
    bool public dirty;

    constructor(address asker) {
        ASKER = asker;
    }

    function setDirty() external {
        dirty = true;
    }

    function isValidSignature(bytes32, bytes calldata) external view returns (bytes32) {
        require(msg.sender == ASKER, "asked by another contract");
        return bytes32(bytes4(0x1626ba7e)) | bytes32(uint256(dirty ? 1 : 0));
    }
}

/// @dev A token that calls back into the wallet during a transfer.
contract ReentrantToken {
    AgentWallet private immutable WALLET;
    bytes private _data;
    bool public called;
    bool public succeeded;

    constructor(AgentWallet wallet) {
        WALLET = wallet;
    }

    function arm(bytes calldata data) external {
        _data = data;
    }

    function transfer(address, uint256) external returns (bool) {
        (succeeded,) = address(WALLET).call(_data);
        called = true;
        return true;
    }
}
