// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AgentWallet} from "../../src/AgentWallet.sol";
import {Base} from "../base/Base.sol";
import {Thief} from "./Thief.sol";

/// @dev A thief who has both the session key and the operator key, for weeks, while the owner does nothing:
/// 1. In any 24 hours at most what a session held at their beginning and twice `MAX_GRANT` leaves: 30,000 USDC (checked
///    in the thief). Each further 10,000 takes another UTC day.
/// 2. What left plus what may still be sent is at most the owner's session and `MAX_GRANT` for each UTC day.
/// 3. By purchases no session moves more than its allowance.
contract StolenKeysInvariantTest is Base {
    Thief private _thief;

    function setUp() public override {
        super.setUp();
        wallet = create("stolen", 50);
        mint(address(wallet), 10_000_000e6);
        _thief = new Thief(wallet, usdc, 50);
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(_thief);
    }

    function invariant_stolenKeys_moveAtMostTheGrants() public view {
        AgentWallet.State memory state = wallet.state();
        uint256 dayCount = state.grantDay - START / 1 days + 1;
        vm.assertLe(_thief.moved() + state.remaining, uint256(LIMIT) + dayCount * 10_000e6, "2: grants");
        vm.assertLe(_thief.bought(state.epoch), uint256(state.purchaseAllowance) * 1e6, "3: allowance");
    }
}
