// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

import {Vm} from "../base/Vm.sol";
import {UsdcTest} from "./UsdcTest.sol";

contract UsdcTransfersTest is UsdcTest {
    function testFuzz_transfer_movesTheAmount(address to, uint256 value) public {
        vm.assume(to != address(0) && to != address(usdc) && to != alice && to != address(wallet));
        value = bound(value, 0, HOLDING);
        vm.expectEmit(address(usdc));
        emit IERC20.Transfer(alice, to, value);
        vm.prank(alice);
        vm.assertTrue(usdc.transfer(to, value), "returned false");
        vm.assertEq(usdc.balanceOf(alice), HOLDING - value);
        vm.assertEq(usdc.balanceOf(to), value);
    }

    function test_transfer_toTheSender_changesNothing() public {
        vm.prank(alice);
        usdc.transfer(alice, 5);
        vm.assertEq(usdc.balanceOf(alice), HOLDING);
    }

    function test_transfer_reverts_aboveTheBalance() public {
        expectText("ERC20: transfer amount exceeds balance");
        vm.prank(alice);
        usdc.transfer(RECIPIENT, HOLDING + 1);
    }

    function test_transfer_reverts_toTheZeroAddress() public {
        expectText("ERC20: transfer to the zero address");
        vm.prank(alice);
        usdc.transfer(address(0), 1);
    }

    function test_zeroAddress_cannotPayOrApprove() public {
        expectText("ERC20: transfer from the zero address");
        usdc.transferFrom(address(0), RECIPIENT, 0);
        expectText("ERC20: approve from the zero address");
        vm.prank(address(0));
        usdc.approve(RECIPIENT, 1);
    }

    function test_transfer_reverts_toTheTokenItself() public {
        expectText("Blacklistable: account is blacklisted");
        vm.prank(alice);
        usdc.transfer(address(usdc), 1);
    }

    function testFuzz_transferFrom_usesTheAllowance(uint256 allowed, uint256 value) public {
        value = bound(value, 0, HOLDING);
        vm.prank(alice);
        usdc.approve(STRANGER, allowed);
        if (value > allowed) expectText("ERC20: transfer amount exceeds allowance");
        vm.prank(STRANGER);
        usdc.transferFrom(alice, RECIPIENT, value);
        if (value > allowed) return;
        vm.assertEq(usdc.balanceOf(RECIPIENT), value);
        vm.assertEq(usdc.allowance(alice, STRANGER), allowed - value);
    }

    function test_transferFrom_reducesAnInfiniteAllowance_withoutAnApprovalLog() public {
        vm.prank(alice);
        usdc.approve(STRANGER, type(uint256).max);
        vm.recordLogs();
        vm.prank(STRANGER);
        usdc.transferFrom(alice, RECIPIENT, 7);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        vm.assertEq(logs.length, 1);
        vm.assertEq(logs[0].topics[0], IERC20.Transfer.selector);
        vm.assertEq(usdc.allowance(alice, STRANGER), type(uint256).max - 7);
    }

    function test_approve_reverts_forTheZeroAddress() public {
        expectText("ERC20: approve to the zero address");
        vm.prank(alice);
        usdc.approve(address(0), 1);
    }

    function test_approve_ignoresTheBlacklist() public {
        setBlacklisted(alice, true);
        setBlacklisted(STRANGER, true);
        vm.expectEmit(address(usdc));
        emit IERC20.Approval(alice, STRANGER, 9);
        vm.prank(alice);
        usdc.approve(STRANGER, 9);
        vm.prank(alice);
        usdc.increaseAllowance(STRANGER, 4);
        vm.prank(alice);
        usdc.decreaseAllowance(STRANGER, 1);
        vm.assertEq(usdc.allowance(alice, STRANGER), 12);
    }

    function testFuzz_increaseAllowance_addsOrReverts(uint256 allowed, uint256 increment) public {
        vm.prank(alice);
        usdc.approve(STRANGER, allowed);
        bool overflows = increment > type(uint256).max - allowed;
        if (overflows) expectText("SafeMath: addition overflow");
        vm.prank(alice);
        usdc.increaseAllowance(STRANGER, increment);
        vm.assertEq(usdc.allowance(alice, STRANGER), overflows ? allowed : allowed + increment);
    }

    function testFuzz_decreaseAllowance_subtractsOrReverts(uint256 allowed, uint256 decrement) public {
        vm.prank(alice);
        usdc.approve(STRANGER, allowed);
        bool underflows = decrement > allowed;
        if (underflows) expectText("ERC20: decreased allowance below zero");
        vm.prank(alice);
        usdc.decreaseAllowance(STRANGER, decrement);
        vm.assertEq(usdc.allowance(alice, STRANGER), underflows ? allowed : allowed - decrement);
    }

    function test_pause_stopsTransfersAndAllowances() public {
        vm.prank(ADMIN);
        usdc.pause();
        expectText("Pausable: paused");
        vm.prank(alice);
        usdc.transfer(RECIPIENT, 1);
        expectText("Pausable: paused");
        usdc.transferFrom(alice, RECIPIENT, 0);
        expectText("Pausable: paused");
        usdc.approve(RECIPIENT, 1);
        expectText("Pausable: paused");
        usdc.increaseAllowance(RECIPIENT, 1);
        expectText("Pausable: paused");
        usdc.decreaseAllowance(RECIPIENT, 0);
    }
}
